// The page: reads the state, shows it, and follows the live figures.
import { action, open } from "./actions.js";
import { ask, followAdmin, followVisibility, reason, start, translate } from "./command.js";
import { make, notice, table, update } from "./dom.js";
import { accelerators, alerts, is, offered, policy, random, services, verdict } from "./rows.js";
import { fill, texts } from "./texts.js";

/** @type {import("./rows.js").Documents} */
const state = { status: null, live: null, allow: null, list: null };
let [isAdmin, trouble] = [false, ""];
let stream = /** @type {{ stop: () => void } | null} */ (null);

const byId = id => /** @type {HTMLElement} */ (document.getElementById(id));
const place = name => /** @type {Element} */ (byId(name).lastElementChild);

/** A button that does `kind` with a driver, a service or nothing. */
function button(kind, name, id = name ? `${kind}:${name}` : kind) {
    return make("button", {
        type: "button", id, "data-kind": kind, "data-name": name, "aria-label": fill(texts[kind], name),
        class: id === "next" ? "primary" : "", disabled: !isAdmin,
    }, texts.short[kind]);
}

function showAccelerators() {
    const all = accelerators(state);
    update(place("accelerators"), all.length === 0 && make("p", {}, texts.noAccelerator), all.map(one => make("article", {},
        make("h3", {}, one.name),
        make("dl", {}, [[texts.module, one.module], [texts.completion, one.completion]]
            .map(([term, value]) => make("div", {}, make("dt", {}, term), make("dd", {}, value)))),
        table(fill(texts.ofDevices, one.name), [texts.device, texts.deviceDriver, texts.interrupts],
            one.devices.map(device => ({ cells: [device.name, device.driver, device.interrupts] }))),
        table(fill(texts.ofDrivers, one.name),
            [texts.driver, texts.algorithm, texts.state, texts.requests, texts.data, texts.actions],
            one.drivers.map(row => ({
                cells: [row.name, row.algorithm, make("span", { class: row.tone }, row.state), row.requests, row.data,
                    make("div", { class: "actions" }, row.actions.map(kind => button(kind, row.name)))],
            }))))));
}

function showServices() {
    const all = services(state);
    update(place("services"), all.length === 0 ? make("p", {}, texts.noService) : table("",
        [texts.service, texts.state, texts.advice, texts.actions],
        all.map(row => ({
            cells: [row.name, make("span", { class: row.tone }, row.state), row.advice,
                make("div", { class: "actions" }, row.actions.map(kind => button(kind, row.name)))],
        }))),
    all.filter(row => row.ciphers.length > 0).map(row => table(fill(texts.ofCiphers, row.name),
        [texts.cipher, texts.byHardware, texts.bySoftware],
        row.ciphers.map(one => ({ cells: [make("span", { class: one.tone }, one.name), one.hardware, one.software] })))));
}

function show() {
    const { status } = state;
    const found = [trouble && { tone: "bad", text: trouble }, ...(status ? alerts(state) : []),
        !isAdmin && !trouble && { tone: "neutral", text: texts.limited }];
    update(byId("alerts"), found.map(one => one && notice(one)));
    byId("page").setAttribute("aria-busy", String(!status && !trouble));
    for (const section of document.querySelectorAll("main > section")) section.toggleAttribute("hidden", !status);
    if (!status) {
        update(byId("verdict"), !trouble && make("p", {}, texts.loading));
        return;
    }
    const first = verdict(status);
    const step = offered(first.next);
    update(byId("verdict"), notice(first, step && button(step.kind, step.name, "next")));
    showAccelerators();
    showServices();
    const measured = policy(status);
    update(place("measurement"), make("p", { class: measured.tone }, measured.text), button("tune", ""));
    const source = random(status);
    update(place("random"), source.length === 0 ? make("p", {}, texts.noRandom)
        : make("dl", {}, source.map(([term, value]) => make("div", {}, make("dt", {}, term), make("dd", {}, value)))));
    update(place("system"), make("div", { class: "actions" }, ["setup", "undo", "bundle", "report"].map(kind => button(kind, ""))));
}

/** Reads everything again, and follows the figures. */
async function read() {
    stream?.stop();
    const started = start(["outboard", "status", "--json", "--every", "1s"], {
        each: document => {
            if (stream !== started) return;
            if (is(document, "status")) {
                state.status = document;
                trouble = "";
            } else if (is(document, "live")) {
                state.live = document;
            } else {
                trouble = fill(texts.unknownSchema, document.schema);
            }
            show();
        },
    });
    stream = started;
    started.ended.then(end => {
        if (stream !== started) return;
        stream = null;
        if (end.code === null) return;
        const why = reason(end);
        trouble = end.isMissing || end.code === 2 ? why : state.status ? fill(texts.ended, why) : fill(texts.failed, why);
        if (end.isMissing) state.status = null;
        show();
    });
    const [allow, list] = await Promise.all([
        ask(["outboard", "allow", "--list", "--json"], "allow"), ask(["outboard", "enable", "--list", "--json"], "services")]);
    Object.assign(state, { allow, list });
    show();
}

document.addEventListener("click", event => {
    const pressed = /** @type {HTMLElement} */ (event.target).closest("button[data-kind]");
    if (!(pressed instanceof HTMLElement)) return;
    const { kind = "", name = "" } = pressed.dataset;
    const about = { service: services(state).find(one => one.name === name), ciphers: state.status.offload.map(one => one.cipher) };
    open(action(kind, name, about), read);
});

/** Cockpit's choice between light and dark; its pages share one storage. */
function theme() {
    const style = localStorage.getItem("shell:style") ?? "auto";
    const isDark = style === "dark" || (style === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.classList.toggle("dark", isDark);
}

theme();
addEventListener("storage", event => { if (event.key === "shell:style") theme(); });
addEventListener("cockpit-style", theme);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);

translate();
show();
followAdmin(allowed => { isAdmin = allowed; read(); });
followVisibility(isHidden => {
    if (!isHidden) return stream || read();
    stream?.stop();
    stream = null;
});
