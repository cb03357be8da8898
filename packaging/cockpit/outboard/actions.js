// What the page changes: each action shows its command and what it changes, runs it, and shows the
// result.
import { bytes, reason, start } from "./command.js";
import { drawn } from "./curve.js";
import { make, show, table, write } from "./dom.js";
import { curves, files, is, number, result, resultTone, step } from "./rows.js";
import { fill, texts } from "./texts.js";

/** @typedef {{ name: string, label: string, choices?: [string, string][] }} Option a checkbox, or a choice
 *  @typedef {Record<string, any>} Chosen what the options are set to, by name
 *  @typedef {{ title: string, about: string, argv: (set: Chosen) => string[], preview?: (set: Chosen) => string[],
 *      shown?: { title: string, text: string }[], options?: Option[], chosen?: Chosen, saves?: string, missing?: string }} Action
 *  @typedef {{ name: string, canRestart: boolean, files: string[] }} Service */

const selected = name => (name.endsWith(".service") ? ["--unit", name] : [name]);
const flag = (isSet, name) => (isSet ? [name] : []);
const STREAM = ["--json", "--progress"];
const ON_SYSTEM = { setup: STREAM, undo: ["--json"] };
const ON_DRIVERS = { allow: ["allow", "--progress"], disallow: ["disallow"], prefer: ["prefer"], demote: ["prefer", "--software"], unprefer: ["prefer", "--undo"] };

/** What a button does.
 * @param {string} kind
 * @param {string} name of a driver or service
 * @param {{ service?: Service, ciphers: string[] }} about
 * @returns {Action} */
export function action(kind, name, { service = { name, canRestart: false, files: [] }, ciphers }) {
    const restart = service.canRestart ? [{ name: "restart", label: texts.restart }] : [];
    const common = { title: fill(texts[kind], name), about: texts.about[kind] };
    if (kind in ON_SYSTEM) {
        return { ...common, preview: () => ["outboard", kind, "--dry-run", "--json"], argv: () => ["outboard", kind, "--yes", ...ON_SYSTEM[kind]] };
    }
    if (kind in ON_DRIVERS) return { ...common, argv: () => ["outboard", ...ON_DRIVERS[kind], name, "--json"] };
    if (kind === "enable") {
        const words = set => ["outboard", "enable", ...selected(name), ...flag(set.aes, "--aes-required")];
        return {
            ...common, options: [{ name: "aes", label: texts.aesRequired }, ...restart], chosen: { aes: false, restart: service.canRestart },
            preview: set => [...words(set), "--dry-run", ...STREAM],
            argv: set => [...words(set), ...flag(set.restart, "--restart"), ...STREAM],
        };
    }
    if (kind === "disable") {
        return {
            ...common, options: restart, chosen: { restart: service.canRestart },
            shown: service.files.map(path => ({ title: path, text: "" })),
            argv: set => ["outboard", "disable", ...selected(name), ...flag(set.restart, "--restart"), ...STREAM],
        };
    }
    if (kind === "prove") {
        const observed = name.endsWith(".service") ? ["--unit", name] : ["--service", name];
        return { ...common, argv: () => ["outboard", "prove", ...observed, "--for", "10s", "--quiet", "--json", "-", "--progress"] };
    }
    if (kind === "tune") {
        const all = /** @type {[string, string]} */ (["", texts.allCiphers]);
        return {
            ...common, chosen: { goal: "balanced", ciphers: "" },
            options: [{ name: "goal", label: texts.goal, choices: Object.entries(texts.goals) },
                { name: "ciphers", label: texts.ciphers, choices: [all, ...ciphers.map(one => /** @type {[string, string]} */ ([one, one]))] }],
            argv: set => ["outboard", "tune", "--goal", set.goal, ...(set.ciphers ? ["--ciphers", set.ciphers] : []), ...STREAM],
        };
    }
    // A report is made by another package.
    return kind === "bundle"
        ? { ...common, saves: "outboard-bundle.tar.xz", missing: texts.missing, argv: () => ["outboard", "bundle", "--output", "-"] }
        : { ...common, saves: "outboard-report.html", missing: texts.labNeeded, argv: () => ["outboard-lab", "report", "--output", "-"] };
}

const quoted = word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
const dialog = () => /** @type {HTMLDialogElement} */ (document.getElementById("action"));

/** Opens the dialog of an action.
 * @param {Action} action
 * @param {() => void} ended when the state may have changed */
export function open(action, ended) {
    const set = { ...action.chosen };
    let running = /** @type {{ stop: () => void } | null} */ (null);
    let [isChanged, turn] = [false, 0];
    const command = make("code", { id: "action-command", tabindex: "0" });
    const progress = make("p", { role: "status", id: "action-progress" });
    const changes = make("div", { id: "action-changes" });
    const outcome = make("div", { id: "action-result", role: "alert" });
    const copy = make("button", { type: "button", onclick: copied }, texts.copy);
    const runButton = make("button", { type: "button", id: "action-run", class: "primary", onclick: run }, texts.run);
    const closeButton = make("button", { type: "button", id: "action-close", onclick: close }, texts.cancel);

    async function copied() {
        await navigator.clipboard.writeText(command.textContent ?? "");
        write(copy, texts.copied);
    }

    function close() {
        if (running) running.stop();
        else dialog().close();
    }

    const failed = text => show(outcome, make("p", { class: "notice bad" }, text));

    /** Runs a command, with the button to stop it. */
    async function follow(argv, seen) {
        write(progress, texts.working);
        write(closeButton, texts.stop);
        runButton.disabled = true;
        const started = running = start(argv, { needsAdmin: true, each: document => is(document, "progress") ? write(progress, step(document)) : seen(document) });
        const end = await started.ended;
        if (running === started) running = null;
        if (!running) write(progress, "");
        return { ...end, last: end.documents.findLast(document => !is(document, "progress")) };
    }

    /** Shows the command and what it would change, for the options as they are now. */
    async function preview() {
        const mine = ++turn;
        running?.stop();
        write(command, action.argv(set).map(quoted).join(" "));
        show(outcome);
        if (!action.preview) return;
        const { last, ...end } = await follow(action.preview(set), () => {});
        if (mine !== turn) return;
        write(closeButton, texts.cancel);
        show(changes, ...(last ? shownFiles(last) : []));
        if (end.code === 0) runButton.disabled = false;
        else if (!last) failed(reason(end));
    }

    async function run() {
        if (action.saves) return save();
        for (const control of fields) control.disabled = true;
        isChanged = true;
        const { last, ...end } = await follow(action.argv(set), document => { if (is(document, "tune")) shownTune(document); });
        write(closeButton, texts.close);
        runButton.hidden = true;
        if (!last) return failed(end.code === null ? texts.stopped : reason(end) || texts.refused);
        const lines = result(last).map(line => make("p", {}, line));
        const isBad = end.code !== 0 && !is(last, "tune");
        show(outcome, make("div", { class: `notice ${isBad ? "bad" : resultTone(last)}` }, lines, end.message && make("p", {}, end.message.trim())));
        write(progress, texts.done);
        closeButton.focus();
    }

    async function save() {
        runButton.disabled = true;
        write(progress, texts.working);
        try {
            const url = URL.createObjectURL(new Blob([/** @type {any} */ (await bytes(action.argv(set)))]));
            show(outcome, make("a", { href: url, download: action.saves, id: "action-save" }, fill(texts.saveFile, action.saves)));
        } catch (error) {
            failed(/** @type {any} */ (error).problem === "not-found" ? action.missing : /** @type {any} */ (error).message);
        }
        write(progress, "");
        write(closeButton, texts.close);
    }

    function shownTune(document) {
        show(changes, ...curves(document).map(curve => make("figure", {}, make("figcaption", {}, curve.title), drawn(curve),
            make("details", {}, make("summary", {}, texts.figures),
                table(curve.title, [texts.size, texts.hardwareSpeed, texts.softwareSpeed, texts.winner], curve.points.map(one => ({
                    cells: [number(one.bytes), number(one.hardware, 1), number(one.software, 1), one.winner] })))))));
    }

    const control = option => {
        const id = `option-${option.name}`;
        const field = option.choices
            ? make("select", { id, onchange: event => { set[option.name] = event.target.value; preview(); } },
                option.choices.map(([value, label]) => make("option", { value, selected: set[option.name] === value }, label)))
            : make("input", { type: "checkbox", id, checked: set[option.name] === true,
                onchange: event => { set[option.name] = event.target.checked; preview(); } });
        const label = make("label", { for: id }, option.label);
        return { field, row: make("div", { class: "option" }, option.choices ? [label, field] : [field, label]) };
    };
    const controls = (action.options ?? []).map(control);
    const fields = controls.map(one => one.field);
    show(changes, ...(action.shown ?? []).map(shownFile));
    show(dialog(),
        make("h2", { id: "action-title" }, action.title), make("p", {}, action.about), controls.map(one => one.row), changes,
        make("p", { class: "command-title", id: "command-title" }, texts.command),
        make("div", { class: "command" }, command, copy), progress, outcome,
        make("div", { class: "buttons" }, runButton, closeButton));
    dialog().oncancel = event => { if (running) { event.preventDefault(); running.stop(); } };
    dialog().onclose = () => { if (isChanged) ended(); };
    dialog().showModal();
    preview();
}

const shownFile = ({ title, text }) => make("div", { class: "file" }, make("p", {}, title), text && make("pre", { tabindex: "0" }, text));

/** What a command would change. */
function shownFiles(document) {
    const changed = is(document, "undo") || is(document, "setup") ? result(document).map(line => ({ title: line, text: "" })) : files(document);
    const notes = (document.notes ?? []).map(note => make("p", {}, note));
    const sentence = document.advice ? [make("p", {}, document.advice.why)] : [];
    return [...sentence, ...(changed.length ? changed.map(shownFile) : [make("p", {}, texts.nothing)]), ...notes];
}
