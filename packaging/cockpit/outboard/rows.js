// Turns the JSON documents of the command outboard into rows for a page. Without Cockpit and without
// a browser, so that another page can use it. Every string of a row is to be shown as text.
import { fill, texts } from "./texts.js";

/** @typedef {"good" | "neutral" | "warning" | "bad"} Tone */
/** @typedef {{ tone: Tone, text: string, next: string }} Notice */
/** @typedef {{ status: any, live: any, allow: any, list: any, setup: any }} Documents
 *  The documents outboard-status/1, -live/1, -allow/1, -services/1 and -setup/1; null where there is none. */

/** A count with separators, or a dash.
 * @param {unknown} count */
export const number = count => (typeof count === "number" && Number.isFinite(count) ? count.toLocaleString("en") : "–");

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

/** Whether a document has this schema and version.
 * @param {any} document
 * @param {string} schema */
export const is = (document, schema) => document?.schema === `outboard-${schema}/1`;

/** The first line of the page.
 * @param {any} status
 * @returns {Notice} */
export function verdict(status) {
    const tones = { reached: "good", "cpu-instructions": "good", unreached: "warning", "no-driver": "warning", unusable: "bad" };
    const { answer, text, next } = status.verdict ?? {};
    return { tone: tones[answer] ?? "neutral", text: text ?? "", next: next ?? "" };
}

/** What is wrong, with what to do, and what is worth knowing.
 * @param {Documents} from
 * @returns {Notice[]} */
export function alerts({ status, live, setup }) {
    const found = (status.problems ?? []).filter(one => !one.is_note)
        .map(one => ({ tone: "bad", text: one.evidence ? `${one.text} (${one.evidence})` : one.text, next: one.next }));
    const obstacles = (setup?.obstacles ?? []).filter(one => one.text !== status.verdict?.text)
        .map(one => ({ tone: "warning", text: one.text, next: one.next ?? "" }));
    const refused = (setup?.drivers ?? []).filter(one => one.state === "refused")
        .map(one => ({ tone: "bad", text: one.reason ?? one.driver, next: "" }));
    const counted = (live?.services ?? []).flatMap(one => (one.algorithms ?? []).flatMap(work => [
        ...(work.mismatches > 0 ? [{ tone: "bad", text: fill(texts.mismatch, one.service, number(work.mismatches)), next: "" }] : []),
        ...(work.failures > 0 ? [{ tone: "bad", text: fill(texts.failure, one.service, number(work.failures)), next: "" }] : []),
    ]));
    const remarks = (setup?.remarks ?? []).map(text => ({ tone: "neutral", text, next: "" }));
    return [...found, ...refused, ...counted, ...obstacles, ...remarks];
}

/** The accelerators with their devices and drivers.
 * @param {Documents} from */
export function accelerators({ status, live, allow, list }) {
    return status.accelerators.map(one => ({
        name: one.chip, module: one.module, completion: one.completion,
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
    const isPreferred = (list?.services ?? []).some(one => one.driver === name);
    const states = [
        fault && fill(fault.verdict === "wrong" ? texts.wrong : texts.unanswered, fault.fault ?? fault.made),
        entry?.allowed ? (entry.saved ? texts.allowed : texts.allowedNow) : entry?.saved ? texts.saved : texts.notAllowed,
        isPreferred && texts.preferred,
        work?.errors > 0 && fill(texts.errors, number(work.errors)),
    ];
    return {
        name, algorithm: known?.algorithm ?? "", state: states.filter(Boolean).join("; "),
        tone: fault || work?.errors > 0 ? "bad" : entry?.allowed ? "good" : "neutral",
        requests: number(work?.requests), bytes: number(work?.bytes),
        actions: [entry?.allowed || entry?.saved ? "disallow" : "allow", isPreferred ? "unprefer" : "prefer"],
    };
}

/** The services that are installed or enabled.
 * @param {Documents} from */
export function services({ status, live, list, setup }) {
    const toMeasure = setup?.policy_reason ? fill(texts.toMeasure, setup.policy_reason) : "";
    const installed = status.services.map(one => one.name);
    const others = (list?.services ?? []).filter(one => !one.driver && one.state !== "not enabled" && !installed.includes(one.name));
    return [...installed, ...others.map(one => one.name)].map(name => {
        const listed = list?.services?.find(one => one.name === name);
        const state = listed?.state ?? (status.services.find(one => one.name === name)?.enabled ? "enabled" : "not enabled");
        const advice = [...setup?.services ?? [], ...status.decisions ?? []].find(one => one.service === name);
        const work = (live?.services ?? []).filter(one => one.service === name).flatMap(one => one.algorithms ?? []);
        const isEnabled = state !== "not enabled";
        return {
            name, state: texts.states[state] ?? state, isEnabled,
            tone: state === "enabled" ? "good" : isEnabled ? "warning" : "neutral",
            advice: advice ? fill(texts.who[advice.decision], advice.why) : isEnabled ? "" : toMeasure,
            files: listed?.files ?? [], canRestart: listed?.restarts ?? false,
            ciphers: work.map(one => ({
                name: one.name, hardware: number(one.hardware_bytes), software: number(one.software_bytes),
                tone: one.mismatches || one.failures ? "bad" : "neutral",
            })),
            actions: isEnabled ? ["prove", "disable"] : ["enable"],
        };
    });
}

/** The policy in one line.
 * @param {any} status
 * @returns {Notice} */
export function policy(status) {
    if (!status.policy) return { tone: "neutral", text: texts.noPolicy, next: "" };
    const { made, goal, in_force: isInForce, problem } = status.policy;
    if (!isInForce) return { tone: "warning", text: fill(texts.policyUnused, problem), next: "" };
    return { tone: "good", text: fill(texts.policy, made, goal), next: "" };
}

/** The random source as pairs of term and value; empty without one.
 * @param {any} status
 * @returns {[string, string][]} */
export function random(status) {
    if (!status.hwrng) return [];
    const { current, quality, available } = status.hwrng;
    const own = status.openssl?.random;
    return [
        [texts.randomSource, current ?? texts.none],
        [texts.randomAvailable, (available ?? []).join(", ") || texts.none],
        [texts.randomQuality, number(quality)],
        [texts.randomOpenssl, own ? [own.generator, own.seed].filter(Boolean).join(", ") : texts.kernelSeeds],
    ];
}

/** The measured curves, each with its points by size.
 * @param {any} tune outboard-tune/1 */
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

/** The progress of a command in words.
 * @param {any} progress outboard-progress/1
 * @returns {string} */
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

/** The result of a command as lines.
 * @param {any} document
 * @returns {string[]} */
export function result(document) {
    const { result: words } = texts;
    if (is(document, "change")) return document.drivers.map(one => one.text);
    if (is(document, "enable")) {
        return [fill(document.enabled ? words.enabled : words.disabled, document.service), ...document.notes, ...document.next];
    }
    if (is(document, "restart")) {
        return [
            fill(document.enabled ? words.enabled : words.disabled, document.service),
            ...(document.processes_with_outboard == null ? [] : [fill(words.processes, document.processes_with_outboard)]),
            ...document.exchanges.map(one => fill(words.exchange, one.address, number(one.bytes), one.cipher ?? texts.none)),
            ...(document.enabled
                ? [fill(words.work, number(document.hardware_requests), number(document.hardware_bytes), number(document.interrupts))] : []),
            ...document.notes,
        ];
    }
    if (is(document, "prove")) return [document.summary, ...document.notes];
    if (is(document, "undo")) {
        const line = one => one.error ? fill(words.remains, one.name, one.error) : fill(words.parts, one.kind, one.name);
        return document.parts.length ? document.parts.map(line) : [texts.nothing];
    }
    if (is(document, "tune")) {
        const decided = document.services.filter(one => one.decision).map(one => `${one.service}: ${fill(texts.who[one.decision], one.why)}`);
        const sentences = [...[...document.ciphers, ...document.lookahead].map(one => one.sentence), ...decided];
        const end = document.interrupted ? [texts.stopped] : document.written ? [fill(words.written, document.written)] : [];
        return [...sentences, ...document.reasons, ...document.warnings, ...end];
    }
    return [];
}

/** The tone of a result: only a proof may be bad.
 * @param {any} document
 * @returns {Tone} */
export const resultTone = document => is(document, "prove")
    ? { hardware: "good", wrong: "bad", contradicted: "bad" }[document.verdict] ?? "warning" : "good";
