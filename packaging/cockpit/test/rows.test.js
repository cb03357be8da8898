// node --test packaging/cockpit/test: the rows of the page, from documents that the commands wrote (record).
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as rows from "../outboard/rows.js";
import { fill, texts } from "../outboard/texts.js";

const recorded = name => readFileSync(new URL(`recorded/${name}`, import.meta.url), "utf8");
const read = name => {
    const found = [];
    const reader = rows.reader(document => found.push(document));
    reader.add(recorded(name));
    reader.end();
    return found;
};
const last = name => read(name).at(-1);
const state = (stream, others) => {
    const documents = read(stream);
    return { allow: null, list: null, ...others,
        status: documents.find(one => rows.is(one, "status")), live: documents.findLast(one => rows.is(one, "live")) ?? null };
};
const enabled = () => state("enabled.jsonl", { allow: last("allowed.json"), list: last("services.json") });

test("a stream is read in any pieces", () => {
    const text = recorded("tune.jsonl");
    const whole = read("tune.jsonl");
    assert.ok(whole.length > 5);
    for (const size of [1, 7, 4096]) {
        const found = [];
        const reader = rows.reader(document => found.push(document));
        for (let at = 0; at < text.length; at += size) reader.add(text.slice(at, at + size));
        reader.end();
        assert.deepEqual(found, whole);
    }
});

test("a document over several lines is one document, and other output is none", () => {
    assert.deepEqual(read("services.json").map(one => one.schema), ["outboard-services/1"]);
    const found = [];
    const reader = rows.reader(document => found.push(document));
    reader.add("no JSON\n{\"no\": \"schema\"}\n[1]\nnull\n");
    reader.end();
    assert.deepEqual(found, []);
});

test("the first button is the next step of the command", () => {
    const { text, next } = rows.verdict(state("without-module.jsonl", {}).status);
    assert.ok(text.includes("engine"), text);
    assert.deepEqual(rows.offered(next), { kind: "setup", name: "" });
    assert.deepEqual(rows.offered(rows.verdict(enabled().status).next).name, "nginx");
    for (const [command, kind, name] of [
        ["outboard enable nginx --restart", "enable", "nginx"], ["outboard disable --unit a@b.service --restart", "disable", "a@b.service"],
        ["outboard prove --service nginx", "prove", "nginx"], ["outboard prove --unit a.service", "prove", "a.service"],
    ]) assert.deepEqual(rows.offered(command), { kind, name }, command);
    for (const command of ["", "outboard setup --goal cpu", "outboard ciphers --service nginx", "on that machine: outboard setup"]) {
        assert.equal(rows.offered(command), null, command);
    }
});

test("the plan of setup names its drivers and its time, and the result each service", () => {
    const [without, plan, done] = ["setup-without-module.json", "setup-shown.json", "setup.jsonl"].map(name => rows.result(last(name)));
    assert.ok(without.some(line => line.includes("outboard's module")), without.join());
    assert.ok(plan.some(line => line.startsWith("To check and allow: engine-cbc-aes (AES-128-CBC")), plan.join());
    assert.ok(plan.some(line => /^To measure, about \d+ s: AES-.* \(nothing was measured/.test(line)), plan.join());
    assert.ok(!plan.some(line => line.includes("xts")), plan.join());
    assert.ok(done.some(line => line.startsWith("Allowed: engine-cbc-aes")) && done.some(line => line.startsWith("nginx: ")), done.join());
    assert.ok(read("setup.jsonl").filter(one => rows.is(one, "progress")).map(rows.step).some(text => /about \d+ s left/.test(text)));
    const refused = { ...last("setup-shown.json"), obstacles: [{ text: "No provider.", next: "apt install it" }], drivers: [], policy: "absent" };
    assert.deepEqual(rows.result(refused), ["No provider. Next step: apt install it"]);
});

test("amounts have a unit, and identifiers and times are in words", () => {
    assert.deepEqual([0, 1023, 1536, 4096, 913542080, 3 * 1024 ** 3, null].map(rows.amount),
        ["0 B", "1,023 B", "1.5 KiB", "4 KiB", "871.2 MiB", "3 GiB", "–"]);
    const [accelerator] = rows.accelerators(enabled());
    assert.equal(accelerator.completion, "interrupts of its own");
    assert.equal(rows.accelerators({ ...enabled(), status: { ...enabled().status, accelerators: [
        { ...enabled().status.accelerators[0], completion: "by its mailbox" }] } })[0].completion, "by its mailbox");
    process.env.TZ = "Asia/Tokyo";
    const { text } = rows.policy({ policy: { made: "2026-11-27T22:50:55Z", goal: "cpu", in_force: true } });
    assert.match(text, /Nov 28, 2026, 7:50.AM for the goal less CPU time/);
});

test("an accelerator has its devices, and drivers with what can be done", () => {
    const [before] = rows.accelerators(state("without-module.jsonl", {}));
    assert.ok(before.drivers.every(one => one.actions.includes("allow") && one.state === texts.notAllowed));
    const [one] = rows.accelerators(enabled());
    assert.ok(one.devices.length === 1 && one.devices[0].interrupts !== "–");
    const cbc = one.drivers.find(driver => driver.name === "engine-cbc-aes");
    assert.deepEqual([cbc.algorithm, cbc.state, cbc.tone], ["cbc(aes)", texts.allowed, "good"]);
    assert.deepEqual(cbc.actions, ["disallow", "demote"]);
    const after = (isPicked, list) => {
        const from = enabled();
        if (!isPicked) from.status.algorithms.forEach(algorithm => { algorithm.picked.driver = "cbc-aes-generic"; });
        from.list.services.push(...list.map(driver => ({ name: `driver:${driver}`, driver, state: "enabled", files: [] })));
        return rows.accelerators(from)[0].drivers.find(driver => driver.name === "engine-cbc-aes");
    };
    assert.deepEqual(after(false, []).actions, ["disallow", "prefer"]);
    for (const [isPicked, state] of [[true, texts.preferred], [false, texts.demoted]]) {
        const { actions, state: shown } = after(isPicked, ["engine-cbc-aes"]);
        assert.deepEqual([actions, shown], [["disallow", "unprefer"], `${texts.allowed}; ${state}`]);
    }
    assert.match(cbc.data, /^[\d.]+ [MG]iB$/);
});

test("a service has its state, the advice and its ciphers", () => {
    const before = rows.services(state("without-module.jsonl", {}));
    assert.deepEqual(before.find(one => one.name === "nginx").actions, ["enable"]);
    const nginx = rows.services(enabled()).find(one => one.name === "nginx");
    assert.deepEqual([nginx.isEnabled, nginx.canRestart, nginx.actions], [true, true, ["prove", "disable"]]);
    assert.ok(nginx.files.some(path => path.startsWith("/etc/outboard/")));
    assert.match(before.find(one => one.name === "nginx").advice, /^To be measured: /);
    const advised = (decision, from) => {
        const decisions = [{ service: "nginx", decision, why: "9 MB/s" }];
        return rows.services({ ...from, status: { ...from.status, decisions } }).find(one => one.name === "nginx").advice;
    };
    assert.deepEqual(["use", "prefer", "leave", "unknown"].map(decision => advised(decision, state("without-module.jsonl", {}))),
        ["Hardware wins: 9 MB/s", "Another cipher wins: 9 MB/s", "Software: 9 MB/s", "To be measured: 9 MB/s"]);
    assert.equal(advised("unknown", enabled()), "9 MB/s");
    const cbc = nginx.ciphers.find(one => one.name === "AES-128-CBC");
    assert.match(cbc.hardware, /^[\d.]+ MiB$/);
});

test("a wrong result is an alert with its service", () => {
    const from = enabled();
    assert.deepEqual(rows.alerts(from).filter(one => one.tone === "bad"), []);
    from.live.services[0].algorithms[0].mismatches = 3;
    from.status.checked = [{ driver: "engine-cbc-aes", verdict: "wrong", made: "", fault: "block 7" }];
    assert.match(rows.alerts(from).find(one => one.tone === "bad").text, /^nginx: 3 wrong results/);
    const cbc = rows.accelerators(from)[0].drivers.find(driver => driver.name === "engine-cbc-aes");
    assert.deepEqual([cbc.tone, cbc.state.startsWith("wrong results: block 7")], ["bad", true]);
});

test("an engine that stopped is red", () => {
    const from = enabled();
    from.status.checked = [{ driver: "engine-ecb-aes", verdict: "unanswered", made: "", fault: "no answer" }];
    const ecb = rows.accelerators(from)[0].drivers.find(driver => driver.name === "engine-ecb-aes");
    assert.deepEqual([ecb.tone, ecb.state.startsWith("stopped answering: no answer")], ["bad", true]);
});

test("the curve has both contestants by size", () => {
    const curves = rows.curves(last("tune.jsonl"));
    assert.deepEqual(curves.map(one => one.title.slice(0, 20)), ["AES-128-CBC, encrypt", "AES-128-CBC, decrypt"]);
    for (const { points } of curves) {
        assert.ok(points.length > 1 && points.every(one => one.software > 0 && one.hardware > 0 && one.winner));
        assert.deepEqual(points.map(one => one.bytes), points.map(one => one.bytes).sort((a, b) => a - b));
    }
});

test("every step is a sentence, and every result has one", () => {
    const steps = read("tune.jsonl").filter(one => rows.is(one, "progress")).map(rows.step);
    assert.ok(steps.length > 3 && steps.every(text => text.length > 5));
    assert.equal(rows.step({ text: "a", seconds_left: 9 }), "a (about 9 s left)");
    for (const name of ["allow.jsonl", "tune.jsonl", "enable.jsonl", "prove.jsonl", "prefer.json", "disable.jsonl", "undo.json", "setup.jsonl"]) {
        assert.ok(rows.result(last(name)).length > 0, name);
    }
    assert.match(rows.result(last("enable.jsonl"))[0], /^nginx is enabled/);
    assert.match(rows.result(last("disable.jsonl"))[0], /^nginx is disabled/);
    assert.ok(read("enable.jsonl").some(one => rows.is(one, "progress")));
});

test("the files of a change are shown whole", () => {
    const files = rows.files(last("enable-shown.json"));
    assert.ok(files.some(one => one.title.includes(".cnf (new)") && one.text.includes("outboard")));
    assert.deepEqual(rows.files({ files: [{ path: "/a", before: "x", after: null }] }), [{ title: "/a (removed)", text: "x" }]);
});

test("the random source is named", () => {
    const shown = rows.random(enabled().status).map(([, value]) => value);
    assert.ok(shown.some(value => value.includes("virtio_rng")) && shown.includes("1,024 of 1,024 bits"), shown.join());
    assert.deepEqual(rows.random({ hwrng: null }), []);
});

test("a hostile name stays what it is", () => {
    const name = `<img src=x onerror=alert(1)>\u0000\u001b[2J$0${"x".repeat(10000)}`;
    const from = enabled();
    from.status.accelerators[0].drivers = [name];
    from.list.services.push({ name, state: "edited", files: [], driver: null, restarts: false });
    assert.equal(rows.accelerators(from)[0].drivers[0].name, name);
    assert.equal(rows.services(from).at(-1).name, name);
    assert.equal(fill("$0: $1", name, "$0"), `${name}: $0`);
});

test("the page makes no markup of text, has no inline code, and stays small", () => {
    const folder = new URL("../outboard/", import.meta.url);
    const files = readdirSync(folder).filter(name => /\.(js|html|css)$/.test(name) && name !== "texts.js");
    const sources = files.map(name => readFileSync(new URL(name, folder), "utf8"));
    for (const text of sources) {
        assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|<style|style=|onclick="/);
    }
    assert.ok(sources.reduce((lines, text) => lines + text.split("\n").length - 1, 0) <= 900);
    assert.equal(files.filter((_, index) => sources[index].includes("globalThis[\"cockpit\"]")).join(), "command.js");
});
