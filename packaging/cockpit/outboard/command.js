// Runs the command outboard by Cockpit. Nothing else of the page knows Cockpit.
import { is, reader } from "./rows.js";
import { fill, locale, texts } from "./texts.js";

/** @type {any} */
const cockpit = globalThis["cockpit"];

/** @typedef {{ documents: any[], message: string, code: number | null, isMissing: boolean }} Ended
 *  code: null if a signal ended it; isMissing: there is no such command. */

/** Translates index.html. */
export function translate() {
    document.documentElement.lang = locale;
    cockpit.translate();
}

/** Follows whether the user has administrative access; null: not known yet.
 * @param {(allowed: boolean) => void} changed */
export function followAdmin(changed) {
    const permission = cockpit.permission({ admin: true });
    const report = () => { if (permission.allowed !== null) changed(permission.allowed); };
    permission.addEventListener("changed", report);
    report();
}

/** Calls back when the page is shown or hidden.
 * @param {(isHidden: boolean) => void} changed */
export const followVisibility = changed => cockpit.addEventListener("visibilitychange", () => changed(cockpit.hidden));

/** Starts a command.
 * @param {string[]} argv
 * @param {{ each?: (document: any) => void, needsAdmin?: boolean }} [options]
 * @returns {{ ended: Promise<Ended>, stop: () => void }} */
export function start(argv, { each = () => {}, needsAdmin = false } = {}) {
    /** @type {any[]} */
    const documents = [];
    const read = reader(document => {
        documents.push(document);
        if (documents.length > 64) documents.shift();
        each(document);
    });
    const process = cockpit.spawn(argv, { superuser: needsAdmin ? "require" : "try", err: "message" });
    process.stream(read.add);
    const ended = new Promise(resolve => process.then(
        (_, message) => { read.end(); resolve({ documents, message: message ?? "", code: 0, isMissing: false }); },
        error => {
            read.end();
            const code = error.exit_signal || error.problem === "cancelled" ? null : error.exit_status ?? 1;
            resolve({ documents, message: error.message ?? "", code, isMissing: error.problem === "not-found" });
        }));
    return { ended, stop: () => process.close("cancelled") };
}

/** Runs a command to its end. Returns its last document, or null.
 * @param {string[]} argv
 * @param {string} schema
 * @returns {Promise<any>} */
export async function ask(argv, schema) {
    const { documents } = await start(argv).ended;
    return documents.findLast(document => is(document, schema)) ?? null;
}

/** The output of a command as bytes.
 * @param {string[]} argv
 * @returns {Promise<Uint8Array>} */
export const bytes = argv => new Promise((resolve, reject) =>
    cockpit.spawn(argv, { superuser: "require", err: "message", binary: true }).then(resolve, error => reject(error)));

/** Why a command failed, in words.
 * @param {Ended} ended
 * @returns {string} */
export function reason({ message, code, isMissing }) {
    if (isMissing) return texts.missing;
    if (code === 2) return fill(texts.older, message.trim());
    return message.trim();
}
