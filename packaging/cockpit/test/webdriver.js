// The few commands of W3C WebDriver that the tests need, sent to Debian's chromedriver.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const sleep = time => new Promise(resolve => setTimeout(resolve, time));

/** A headless Chromium of its own. */
export class Browser {
    #process = null;
    #session = "";
    #messages = [];

    async #start() {
        const server = createServer().listen(0, "127.0.0.1");
        await once(server, "listening");
        this.port = server.address().port;
        server.close();
        await once(server, "close");
        this.#process = spawn("chromedriver", [`--port=${this.port}`], { stdio: ["ignore", "ignore", "inherit"] });
        await this.until("chromedriver answers", () => this.#send("GET", "/status").then(status => status.ready, () => false));
    }

    async #send(method, path, body) {
        const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
            method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body),
        });
        const { value } = await response.json();
        if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message.split("\n")[0]}`);
        return value;
    }

    #command(method, path, body = method === "POST" ? {} : undefined) {
        return this.#send(method, `/session/${this.#session}${path}`, body);
    }

    async open() {
        await this.#start();
        const options = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1600,1200"];
        const capabilities = { alwaysMatch: {
            browserName: "chrome", "goog:chromeOptions": { args: options }, "goog:loggingPrefs": { browser: "ALL" },
        } };
        this.#session = (await this.#send("POST", "/session", { capabilities })).sessionId;
    }

    async close() {
        if (this.#session) await this.#command("DELETE", "").catch(() => {});
        this.#process?.kill();
    }

    go(url) { return this.#command("POST", "/url", { url }); }
    script(script, ...args) { return this.#command("POST", "/execute/sync", { script, args }); }
    asyncScript(script, ...args) { return this.#command("POST", "/execute/async", { script, args }); }
    resize(width, height) {
        const params = { width, height, deviceScaleFactor: 1, mobile: false };
        return this.#command("POST", "/goog/cdp/execute", { cmd: "Emulation.setDeviceMetricsOverride", params });
    }
    /** Deletes the cookies, also those that scripts do not see. */
    forget() { return this.#command("DELETE", "/cookie"); }
    top() { return this.#command("POST", "/frame", { id: null }); }

    /** The first visible element; null if there is none. */
    async find(css) {
        const found = await this.#command("POST", "/elements", { using: "css selector", value: css });
        for (const element of found) {
            if (await this.#command("GET", `/element/${element[ELEMENT]}/displayed`)) return element;
        }
        return null;
    }

    async frame(css) { return this.#command("POST", "/frame", { id: await this.shown(css) }); }
    shown(css, seconds) { return this.until(`${css} is shown`, () => this.find(css), seconds); }

    async click(css, seconds) {
        await this.until(`${css} can be clicked`, async () => {
            const element = await this.find(css);
            if (!element || !await this.#command("GET", `/element/${element[ELEMENT]}/enabled`)) return false;
            return this.#command("POST", `/element/${element[ELEMENT]}/click`).then(() => true, () => false);
        }, seconds);
    }

    async type(css, text) {
        const element = await this.shown(css);
        await this.#command("POST", `/element/${element[ELEMENT]}/value`, { text });
    }

    text(css) { return this.script("return document.querySelector(arguments[0])?.innerText ?? ''", css); }

    async until(what, check, seconds = 60) {
        const end = Date.now() + seconds * 1000;
        for (;;) {
            const found = await check();
            if (found) return found;
            if (Date.now() > end) throw new Error(`after ${seconds} s: not true that ${what}`);
            await sleep(200);
        }
    }

    untilText(css, part, seconds) {
        return this.until(`${css} has the text ${part}`, async () => (await this.text(css)).includes(part), seconds);
    }

    async screenshot(path) { await writeFile(path, Buffer.from(await this.#command("GET", "/screenshot"), "base64")); }

    /** Warnings and errors in the console since the session began. */
    async complaints() {
        this.#messages.push(...await this.#command("POST", "/se/log", { type: "browser" }));
        // Cockpit's login asks whether there is a session already. Its own pages lack fonts and programs.
        const isCockpits = text => /\/cockpit\/login - .* 401 |\/@localhost\/(shell|system)\//.test(text);
        return this.#messages.filter(one => ["WARNING", "SEVERE"].includes(one.level)).map(one => one.message).filter(text => !isCockpits(text));
    }
}
