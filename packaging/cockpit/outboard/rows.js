// Turns the JSON documents of the command outboard into rows for a page. Without Cockpit and without
// a browser, so that another page can use it. Every string of a row is to be shown as text.
import { fill, locale, texts } from "./texts.js";

/** @typedef {"good" | "neutral" | "warning" | "bad"} Tone */
/** @typedef {{ tone: Tone, text: string, next?: string }} Notice */
/** @typedef {{ status: any, live: any, allow: any, list: any }} Documents
 *  The documents outboard-status/1, -live/1, -allow/1 and -services/1; null where there is none. */

/** A number with separators, or a dash.
 * @param {unknown} value
 * @param {number} digits after the point */
export const number = (value, digits = 0) => (typeof value === "number" && Number.isFinite(value)
    ? value.toLocaleString(locale, { maximumFractionDigits: digits }) : "–");

/** An amount of data: `16 B`, `1.5 KiB`, `64 MiB`.
 * @param {unknown} bytes */
export function amount(bytes) {
    if (typeof bytes !== "number" || !Number.isFinite(bytes)) return "–";
    const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), 4);
    return `${number(bytes / 1024 ** power, 1)} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

/** Reads the documents of an output. In a stream each is one line; another output is one document.
 * @param {(document: any) => void} each
 * @returns {{ add: (text: string) => void, end: () => void }} */
export function reader(each) {
    let [whole, rest, isRead] = ["", "", false];
    const take = text => {
        let document;
        try {
            document = JSON.parse(text);
        } catch {
            return;
        }
        if (typeof document?.schema !== "string") return;
        isRead = true;
        each(document);
    };
    return {
        add: text => {
            whole = isRead ? "" : whole + text;
            const lines = (rest + text).split("\n");
            rest = lines.pop() ?? "";
            lines.forEach(take);
        },
        end: () => { if (!isRead) take(whole); },
    };
}

/** Whether a document has this schema and version. */
export const is = (document, schema) => document?.schema === `outboard-${schema}/1`;

/** The button of a command that the advice names: what it does and with which service; null where there is none.
 * @param {string} command
 * @returns {{ kind: string, name: string } | null} */
export function offered(command) {
    const found = /^outboard (setup|enable|disable|prove)(?: (?:--service |--unit )?([\w@.-]*\w))?(?: --restart)?$/.exec(command);
    return found && { kind: found[1], name: found[2] ?? "" };
}

/** The first line of the page: a Notice. */
export function verdict(status) {
    const tones = { reached: "good", "cpu-instructions": "good", unreached: "warning", "no-driver": "warning", unusable: "bad" };
    const { answer, text, next } = status.verdict;
    return { tone: tones[answer] ?? "neutral", text, next };
}

/** What is wrong, with what to do.
 * @param {Documents} from
 * @returns {Notice[]} */
export function alerts({ status, live }) {
    const found = (status.problems ?? []).filter(one => !one.is_note)
        .map(one => ({ tone: "bad", text: one.evidence ? `${one.text} (${one.evidence})` : one.text, next: one.next }));
    const counted = (live?.services ?? []).flatMap(one => (one.algorithms ?? []).flatMap(work => [
        ...(work.mismatches > 0 ? [{ tone: "bad", text: fill(texts.mismatch, one.service, number(work.mismatches)) }] : []),
        ...(work.failures > 0 ? [{ tone: "bad", text: fill(texts.failure, one.service, number(work.failures)) }] : []),
    ]));
    return [...found, ...counted];
}

/** The accelerators with their devices and drivers.
 * @param {Documents} from */
export function accelerators({ status, live, allow, list }) {
    return status.accelerators.map(one => ({
        name: one.chip, module: one.module, completion: texts.completions[one.completion] ?? one.completion,
        devices: one.devices.map(device => ({
            name: device.name, driver: device.driver,
            interrupts: number(live?.devices?.find(now => now.name === device.name)?.interrupts ?? device.interrupts),
        })),
        drivers: one.drivers.map(name => driver(name, { status, live, allow, list })),
    }));
}

function driver(name, { status, live, allow, list }) {
    const known = status.drivers.find(one => one.name === name);
    const entry = allow?.drivers?.find(one => one.driver === name);
    const fault = status.checked?.find(one => one.driver === name && one.verdict !== "exact");
    const work = live?.drivers?.find(one => one.name === name);
    const isChanged = (list?.services ?? []).some(one => one.driver === name);
    const isPicked = status.algorithms.some(one => one.picked.driver === name);
    const states = [
        fault && fill(fault.verdict === "wrong" ? texts.wrong : texts.unanswered, fault.fault ?? fault.made),
        entry?.allowed ? (entry.saved ? texts.allowed : texts.allowedNow) : entry?.saved ? texts.saved : texts.notAllowed,
        isChanged && (isPicked ? texts.preferred : texts.demoted),
        work?.errors > 0 && fill(texts.errors, number(work.errors)),
    ];
    return {
        name, algorithm: known?.algorithm ?? "", state: states.filter(Boolean).join("; "),
        tone: fault || work?.errors > 0 ? "bad" : entry?.allowed ? "good" : "neutral",
        requests: number(work?.requests), data: amount(work?.bytes),
        actions: [entry?.allowed || entry?.saved ? "disallow" : "allow", isChanged ? "unprefer" : isPicked ? "demote" : "prefer"],
    };
}

/** The services that are installed or enabled.
 * @param {Documents} from */
export function services({ status, live, list }) {
    const installed = status.services.map(one => one.name);
    const others = (list?.services ?? []).filter(one => !one.driver && one.state !== "not enabled" && !installed.includes(one.name));
    return [...installed, ...others.map(one => one.name)].map(name => {
        const listed = list?.services?.find(one => one.name === name);
        const state = listed?.state ?? (status.services.find(one => one.name === name)?.enabled ? "enabled" : "not enabled");
        const advice = status.decisions?.find(one => one.service === name);
        const work = (live?.services ?? []).filter(one => one.service === name).flatMap(one => one.algorithms ?? []);
        const isEnabled = state !== "not enabled";
        return {
            name, state: texts.states[state] ?? state, isEnabled,
            tone: state === "enabled" ? "good" : isEnabled ? "warning" : "neutral",
            advice: advice ? isEnabled && advice.decision === "unknown" ? advice.why : fill(texts.who[advice.decision], advice.why) : "",
            files: listed?.files ?? [], canRestart: listed?.restarts ?? false,
            ciphers: work.map(one => ({
                name: one.name, hardware: amount(one.hardware_bytes), software: amount(one.software_bytes),
                tone: one.mismatches || one.failures ? "bad" : "neutral",
            })),
            actions: isEnabled ? ["prove", "disable"] : ["enable"],
        };
    });
}

/** The policy in one line: a Notice. */
export function policy(status) {
    if (!status.policy) return { tone: "neutral", text: texts.noPolicy };
    const { made, goal, in_force: isInForce, problem } = status.policy;
    if (!isInForce) return { tone: "warning", text: fill(texts.policyUnused, problem) };
    const time = new Date(made).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
    return { tone: "good", text: fill(texts.policy, time, texts.goals[goal] ?? goal) };
}

/** The random source as pairs of term and value; empty without one. */
export function random(status) {
    if (!status.hwrng) return [];
    const { current, quality, available } = status.hwrng;
    const own = status.openssl?.random;
    return [
        [texts.randomSource, current ?? texts.none],
        [texts.randomAvailable, (available ?? []).join(", ") || texts.none],
        [texts.randomEntropy, fill(texts.bits, number(quality), number(1024))],
        [texts.randomOpenssl, own ? [own.generator, own.seed].filter(Boolean).join(", ") : texts.kernelSeeds],
    ];
}

/** The measured curves of outboard-tune/1, each with its points by size. */
export function curves(tune) {
    const figures = one => ({
        bytes: one.bytes, software: one.software.megabytes_per_second, hardware: one.hardware.megabytes_per_second,
        winner: one.refused ?? texts.verdicts[one.verdict] ?? one.verdict,
    });
    return (tune?.ciphers ?? []).flatMap(cipher => ["encrypt", "decrypt"].map(way => ({
        title: fill(texts.curve, cipher.name, texts[way]),
        points: cipher[way].points.map(figures).sort((one, other) => one.bytes - other.bytes),
    }))).filter(one => one.points.length > 0);
}

/** The progress of a command, outboard-progress/1, in words. */
export function step(progress) {
    const { text, seconds_left: left } = progress;
    return left == null ? text : fill(texts.secondsLeft, text, number(left));
}

/** The files of a change: a title and the lines for each.
 * @param {any} document outboard-enable/1
 * @returns {{ title: string, text: string }[]} */
export function files(document) {
    return (document.files ?? []).map(one => {
        const title = one.after == null ? texts.removedFile : one.before == null ? texts.newFile : texts.changedFile;
        return { title: fill(title, one.path), text: one.after ?? one.before ?? "" };
    });
}

/** The result of a command as lines; of setup and undo also what they would do. */
export function result(document) {
    const { result: words } = texts;
    const decided = all => all.filter(one => one.decision).map(one => `${one.service}: ${fill(texts.who[one.decision], one.why)}`);
    if (is(document, "change")) return document.drivers.map(one => one.text);
    if (is(document, "enable")) {
        return [fill(document.enabled ? words.enabled : words.disabled, document.service), ...document.notes, ...document.next];
    }
    if (is(document, "restart")) {
        return [
            fill(document.enabled ? words.enabled : words.disabled, document.service),
            ...(document.processes_with_outboard == null ? [] : [fill(words.processes, document.processes_with_outboard)]),
            ...document.exchanges.map(one => fill(words.exchange, one.address, amount(one.bytes), one.cipher ?? texts.none)),
            ...(document.enabled
                ? [fill(words.work, number(document.hardware_requests), amount(document.hardware_bytes), number(document.interrupts))] : []),
            ...document.notes,
        ];
    }
    if (is(document, "setup")) {
        const measured = texts.policies[document.policy];
        return [
            ...document.obstacles.map(one => (one.next ? fill(texts.nextLine, one.text, one.next) : one.text)), ...document.remarks,
            ...document.drivers.map(one => fill(texts.drivers[one.state], one.driver, one.reason ?? one.purpose)),
            ...(measured ? [fill(measured, number(document.seconds), document.ciphers.join(", "), document.policy_reason)] : []),
            ...decided(document.services),
        ];
    }
    if (is(document, "prove")) return [document.summary, ...document.notes];
    if (is(document, "undo")) {
        const line = one => one.error ? fill(words.remains, one.name, one.error) : `${texts.parts[one.kind] ?? one.kind}: ${one.name}`;
        return document.parts.length ? document.parts.map(line) : [texts.nothing];
    }
    if (is(document, "tune")) {
        const sentences = [...[...document.ciphers, ...document.lookahead].map(one => one.sentence), ...decided(document.services)];
        const end = document.interrupted ? [texts.stopped] : document.written ? [fill(words.written, document.written)] : [];
        return [...sentences, ...document.reasons, ...document.warnings, ...end];
    }
    return [];
}

/** The tone of a result: only a proof may be bad. */
export const resultTone = document => is(document, "prove")
    ? { hardware: "good", wrong: "bad", contradicted: "bad" }[document.verdict] ?? "warning" : "good";
