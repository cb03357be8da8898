// The page in a real browser, with the real Cockpit of a test machine (packaging/cockpit/test/run).
import assert from "node:assert/strict";
import { readFile, rename, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { Browser } from "./webdriver.js";

const [, , lane, base, share, axe] = process.argv;
const browser = new Browser();
let done = 0;

/** Prints mode, owner, link and content of all that is in /etc, in the machine. */
const ETC = `(find /etc -printf '%y %m %u:%g %p %l\\n'; find /etc -type f -exec sha256sum {} +) | LC_ALL=C sort`;

/** Runs commands in the machine as root. */
async function inMachine(script) {
    const task = `${share}/do/${++done}.sh`;
    await writeFile(`${task}.new`, script);
    await rename(`${task}.new`, task);
    await browser.until(`the machine has run ${script}`, () => existsSync(`${task}.status`), 150);
    const output = await readFile(`${task}.out`, "utf8");
    assert.equal((await readFile(`${task}.status`, "utf8")).trim(), "0", `${script}: ${output}`);
    return output;
}

async function login(user, isAdmin) {
    // The page is the first one: Cockpit's others are not what is tested.
    await browser.go(`${base}/outboard`);
    await browser.script("localStorage.clear(); localStorage.setItem(`superuser:${arguments[0]}`, arguments[1])", user, isAdmin ? "any" : "none");
    await browser.type("#login-user-input", user);
    await browser.type("#login-password-input", "outboard-test");
    await browser.click("#login-button");
    await browser.shown("#nav-system", 300);
    await enterPage();
}

async function openPage() {
    await browser.top();
    await browser.go(`${base}/outboard`);
    await enterPage();
}

async function enterPage() {
    await browser.frame("iframe[name='cockpit1:localhost/outboard']");
    await browser.shown("main[aria-busy='false']", 90);
}

async function logout() {
    await browser.top();
    await browser.forget();
}

/** Opens an action, waits for its preview, and runs it. Returns what it shows at the end. */
async function act(button, { seconds = 300, options = [], inspect = async () => {} } = {}) {
    await browser.click(`[id='${button}']`);
    for (const option of options) await browser.click(option);
    await browser.until("the command is shown", async () => (await browser.text("#action-command")).startsWith("outboard "));
    const command = await browser.text("#action-command");
    await browser.click("#action-run", 240);
    await browser.until(`${command} has ended`, async () => await browser.find("#action-run") === null, seconds);
    const [shown, changes] = [await browser.text("#action-result"), await browser.text("#action-changes")];
    const isBad = await browser.find("#action-result .bad") !== null;
    await inspect();
    await browser.click("#action-close");
    await browser.until("the dialog is closed", async () => await browser.find("dialog[open]") === null);
    return { command, shown, changes, isBad };
}

const number = async css => Number((await browser.text(css)).replaceAll(/\D/g, "") || 0);

async function accessible(what) {
    await browser.script(await readFile(axe, "utf8"));
    const found = await browser.asyncScript(`
        const done = arguments[0];
        axe.run(document, { resultTypes: ["violations"] }).then(result =>
            done(result.violations.map(one => one.id + ": " + one.nodes.map(node => node.target.join(" ") + " " + node.failureSummary).join("; "))));`);
    assert.deepEqual(found, [], what);
}

const tests = {
    async a_user_without_administrative_access_sees_the_state_and_can_change_nothing() {
        await login("visitor", false);
        await browser.untilText("#alerts", "Without administrative access");
        await browser.shown("[id='tune']:disabled");
        assert.match(await browser.text("#verdict"), /\w/);
        await accessible("without administrative access");
        await logout();
    },

    async the_installed_packages_need_no_terminal() {
        await login("manager", true);
        await browser.shown("[id='tune']:enabled", 90);
        await inMachine(`${ETC} >/root/etc-before`);
    },

    async the_first_button_is_set_up_and_shows_its_plan() {
        await login("manager", true);
        await browser.shown("#next:enabled", 90);
        const buttons = await browser.script(`
            const shown = [...document.querySelectorAll("button")].filter(one => one.checkVisibility());
            return [shown[0].id, shown[0].textContent, shown.filter(one => one.className === "primary").map(one => one.id)];`);
        assert.deepEqual(buttons, ["next", "Set up", ["next"]]);
        assert.ok((await browser.text("#verdict")).includes("Next step: outboard setup"));
        await browser.click("#next");
        await browser.shown("#action-run:enabled", 90);
        assert.equal(await browser.text("#action-command"), "outboard setup --yes --json --progress");
        const plan = await browser.text("#action-changes");
        assert.ok(plan.includes("Without outboard's module") && plan.includes("To check: engine-cbc-aes") && !plan.includes("xts"), plan);
        await accessible("the plan");
        await browser.screenshot(`${share}/plan.png`);
        await browser.click("#action-close");
    },

    async in_german_no_text_of_the_page_is_english() {
        await browser.top();
        await browser.script("document.cookie = 'CockpitLang=de; path=/'");
        await openPage();
        await browser.shown("[id='tune']:enabled", 90);
        let german = {};
        new Function("cockpit", await readFile(`${share}/page/po.de.js`, "utf8"))({ locale: given => { german = given; } });
        const english = Object.keys(german).filter(text => text && german[text][1] !== text);
        const shown = () => browser.script(`
            const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
            const texts = [...document.querySelectorAll("[aria-label], [data-title]")].map(one => one.ariaLabel ?? one.dataset.title);
            while (walker.nextNode()) texts.push(walker.currentNode.textContent.trim());
            return [document.documentElement.lang, ...texts];`);
        const check = async what => {
            const texts = await shown();
            assert.deepEqual(texts.filter(text => english.includes(text)), [], what);
            return texts;
        };
        const page = await check("the page");
        assert.equal(page[0], "de");
        for (const text of ["Krypto-Beschleuniger", "Einrichten", "Beschleuniger", "engine-xts-aes erlauben", "1.024 von 1.024 Bit"]) {
            assert.ok(page.includes(text), `${text}: ${page}`);
        }
        await browser.click("#tune");
        await browser.until("the command is shown", async () => (await browser.text("#action-command")).startsWith("outboard "));
        await check("a dialog");
        await accessible("in German");
        await browser.click("#action-close");
        await browser.screenshot(`${share}/german.png`);
        await browser.top();
        await browser.until("the menu is German", async () => (await browser.text("nav, #host-apps")).includes("Krypto-Beschleuniger"));
        await browser.script("document.cookie = 'CockpitLang=en-us; path=/'");
        await openPage();
        await browser.shown("[id='tune']:enabled", 90);
    },

    async a_driver_that_cannot_be_allowed_is_refused_with_the_reason() {
        const { command, shown, isBad } = await act("allow:engine-cbc-aes");
        assert.equal(command, "outboard allow --progress engine-cbc-aes --json");
        assert.ok(isBad && shown.includes("outboard module is not loaded"), shown);
        await inMachine("insmod /run/modules/outboard.ko");
    },

    async a_driver_is_allowed_after_its_check() {
        await openPage();
        for (const driver of ["engine-cbc-aes", "engine-ecb-aes"]) {
            const { shown, isBad } = await act(`allow:${driver}`);
            assert.ok(!isBad && shown.includes(`${driver} is allowed: `), shown);
            await browser.shown(`[id='disallow:${driver}']`);
        }
        assert.match(await inMachine("outboard allow --list"), /engine-cbc-aes .*allowed, saved/);
    },

    async a_measurement_that_is_stopped_writes_nothing() {
        await browser.click("#tune");
        await browser.click("#action-run");
        await browser.untilText("#action-progress", "bytes", 90);
        await browser.click("#action-close");
        await browser.untilText("#action-result", "Stopped", 60);
        await browser.click("#action-close");
        await inMachine("test ! -e /etc/outboard/policy");
    },

    async a_closed_window_stops_a_measurement() {
        await browser.click("#tune");
        await browser.click("#action-run");
        await browser.untilText("#action-progress", "bytes", 90);
        await browser.top();
        await browser.go("about:blank");
        await inMachine(`for i in $(seq 300); do busybox pgrep -f 'outboard tune' || break; sleep 0.2; done
            test ! -e /etc/outboard/policy && ! busybox pgrep -f 'outboard tune'`);
        await openPage();
    },

    async a_measurement_shows_its_curve_and_writes_the_policy() {
        const { changes, shown } = await act("tune", {
            seconds: 600, options: ["#option-ciphers option[value='AES-128-CBC']"],
            inspect: async () => {
                await accessible("the dialog with the curve");
                await browser.screenshot(`${share}/curve.png`);
            },
        });
        assert.match(changes, /AES-128-CBC, encrypt: throughput/);
        assert.ok(shown.includes("Written: /etc/outboard/policy"), shown);
        await browser.untilText("#measurement", "Measured at");
        // A busy host decides differently each time; what follows is about the page.
        await inMachine("sed -i '/^AES-/d' /etc/outboard/policy; echo 'AES-128-CBC 4096 4096 engine-cbc-aes' >>/etc/outboard/policy");
    },

    async a_service_is_enabled_with_its_files_shown_before() {
        await openPage();
        const { changes, shown, isBad } = await act("enable:nginx", { options: ["#option-aes"] });
        assert.ok(changes.includes(".cnf (new)") && changes.includes("OPENSSL_CONF="), changes);
        assert.ok(!isBad && shown.includes("nginx is enabled"), shown);
        await browser.shown("[id='prove:nginx']");
    },

    async the_figures_rise_while_a_client_downloads() {
        const bytes = () => browser.script(`
            const row = [...document.querySelectorAll("#services tr")].find(one => one.cells[0]?.textContent === "AES-128-CBC");
            const [, figure, unit] = /([\\d.,]+) (\\w+)/.exec(row?.cells[1].textContent ?? "") ?? [];
            return figure ? Number(figure.replace(",", "")) * 1024 ** ["B", "KiB", "MiB"].indexOf(unit) : 0`);
        const interrupts = () => number("#accelerators table:first-of-type tbody td:last-child");
        const [bytesBefore, interruptsBefore] = [await bytes(), await interrupts()];
        await inMachine("curl -ks --tls-max 1.2 --ciphers AES128-SHA -o /dev/null https://127.0.0.1:4433/file");
        await browser.until("bytes rise", async () => await bytes() > bytesBefore + 8000000);
        await browser.until("interrupts rise", async () => await interrupts() > interruptsBefore);
    },

    async the_page_looks_well_at_both_widths() {
        for (const [theme, width] of [["light", 1600], ["light", 360], ["dark", 1600], ["dark", 360]]) {
            await browser.top();
            await browser.resize(width, width === 360 ? 2400 : 1300);
            await browser.frame("iframe[name='cockpit1:localhost/outboard']");
            await browser.script("document.documentElement.classList.toggle('dark', arguments[0])", theme === "dark");
            const wide = await browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert.ok(wide <= 0, `${width} pixels: ${wide} too wide`);
            await accessible(`${theme}, ${width} pixels`);
            await browser.screenshot(`${share}/${theme}-${width}.png`);
        }
        await browser.top();
        await browser.resize(1600, 1200);
        await enterPage();
    },

    async a_service_is_proven() {
        const downloads = inMachine("for i in 1 2 3 4 5 6; do curl -ks --tls-max 1.2 --ciphers AES128-SHA -o /dev/null https://127.0.0.1:4433/file; done");
        const { shown, isBad } = await act("prove:nginx");
        await downloads;
        assert.ok(!isBad, shown);
        assert.match(shown, /hardware/i);
    },

    async software_is_preferred_in_the_kernel_and_the_driver_again() {
        const { shown, isBad } = await act("demote:engine-cbc-aes");
        assert.ok(!isBad && shown.includes("software is selected before engine-cbc-aes"), shown);
        await browser.untilText("#accelerators", "the kernel prefers software");
        const again = await act("unprefer:engine-cbc-aes");
        assert.ok(again.shown.includes("has its own priority again"), again.shown);
    },

    async a_bundle_is_offered_and_a_report_names_its_package() {
        await openPage();
        await inMachine("lab=$(command -v outboard-lab) || exit 0; mv $lab /root");
        await browser.click("#bundle");
        await browser.click("#action-run");
        await browser.shown("#action-save", 90);
        await browser.click("#action-close");
        await browser.click("#report");
        await browser.click("#action-run");
        await browser.untilText("#action-result", "outboard-lab");
        await browser.click("#action-close");
    },

    async a_service_is_disabled() {
        const { shown, changes, isBad } = await act("disable:nginx");
        assert.ok(changes.includes("/etc/outboard/"), changes);
        assert.ok(!isBad && shown.includes("nginx is disabled"), shown);
        await browser.shown("[id='enable:nginx']");
    },

    async everything_is_undone() {
        const { changes, isBad } = await act("undo");
        assert.match(changes, /engine-cbc-aes/);
        assert.ok(!isBad);
        await inMachine("test ! -e /etc/outboard");
    },

    async the_machine_is_set_up_with_one_button() {
        await browser.shown("#next:enabled", 90);
        let progress = "";
        const follow = setInterval(async () => { progress += await browser.text("#action-progress").catch(() => ""); }, 1000);
        const { changes, shown, isBad } = await act("next", { seconds: 900 });
        clearInterval(follow);
        assert.match(changes, /To check and allow: engine-cbc-aes/);
        assert.match(progress, /about \d+ s left/);
        assert.ok(!isBad && shown.includes("Allowed: engine-cbc-aes") && shown.includes("nginx: "), shown);
        await browser.until("setup is not the next step", async () => !(await browser.text("#verdict")).includes("outboard setup"));
        await inMachine("test -s /etc/outboard/policy; outboard undo --yes");
    },

    async a_wrong_driver_and_an_engine_that_stopped_are_red() {
        const faults = "/sys/kernel/debug/outboard_sim";
        await inMachine(`insmod /run/modules/outboard_sim.ko preset=ideal
            while grep -A 4 'module *: outboard_sim' /proc/crypto | grep -q 'selftest *: unknown'; do sleep 0.2; done
            mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
            echo 'sim-cbc-aes wrong' >${faults}/faults
            echo 'sim-ecb-aes never' >${faults}/faults`);
        await openPage();
        for (const [driver, state] of [["sim-cbc-aes", "wrong results: "], ["sim-ecb-aes", "stopped answering: "]]) {
            const { shown, isBad } = await act(`allow:${driver}`);
            assert.ok(isBad && shown.includes(driver), shown);
            await browser.until(`${driver} is red`, () => browser.script(`
                const row = [...document.querySelectorAll("#accelerators tr")].find(one => one.cells[0]?.textContent === arguments[0]);
                const span = row?.querySelector("span.bad");
                return Boolean(span?.textContent.startsWith(arguments[1]));`, driver, state), 90);
        }
        assert.match(await browser.text("#alerts"), /sim-cbc-aes/);
        await accessible("wrong drivers");
        await inMachine(`echo clear >${faults}/faults; echo 0 >${faults}/held; outboard undo --yes; rmmod outboard_sim`);
    },

    async etc_is_as_after_the_first_login() {
        assert.equal(await inMachine(`${ETC} >/root/etc-after; diff /root/etc-before /root/etc-after`), "");
    },

    async a_hostile_name_is_text() {
        await inMachine(String.raw`mv /usr/local/bin/outboard /usr/local/bin/outboard.real
            cat >/usr/local/bin/outboard <<'END'
#!/bin/sh
long=$(head -c 10000 /dev/zero | tr '\0' x)
/usr/local/bin/outboard.real "$@" | sed -u "s|engine-xts-aes|<img src=x onerror=document.title=1><b>\\\\u001b[2J$long|g"
END
            chmod +x /usr/local/bin/outboard`);
        await openPage();
        await browser.untilText("#accelerators", "<img src=x onerror=document.title=1><b>");
        const found = await browser.script(`
            const row = [...document.querySelectorAll("#accelerators tr")].find(one => one.textContent.includes("<img"));
            return [document.querySelectorAll("img, b").length, row.cells[0].textContent.length > 10000, document.title,
                document.documentElement.scrollWidth <= document.documentElement.clientWidth];`);
        assert.deepEqual(found, [0, true, "Crypto accelerators", true]);
        await inMachine("mv /usr/local/bin/outboard.real /usr/local/bin/outboard");
    },

    async a_missing_command_and_an_older_one_are_named() {
        await inMachine("mv /usr/local/bin/outboard /usr/local/bin/outboard.away");
        await openPage();
        await browser.untilText("#alerts", "Install the package outboard");
        await inMachine("printf '#!/bin/sh\\necho unexpected argument >&2\\nexit 2\\n' >/usr/local/bin/outboard; chmod +x /usr/local/bin/outboard");
        await openPage();
        await browser.untilText("#alerts", "it is older. Upgrade the package outboard. Its message: unexpected argument");
        await inMachine("mv /usr/local/bin/outboard.away /usr/local/bin/outboard");
    },

    async the_console_is_empty() {
        assert.deepEqual(await browser.complaints(), []);
    },
};

/** From an installation to its end, with the packages: no service is disabled before all is undone. */
const PACKAGES = [
    "the_installed_packages_need_no_terminal", "a_driver_is_allowed_after_its_check", "a_measurement_shows_its_curve_and_writes_the_policy",
    "a_service_is_enabled_with_its_files_shown_before", "the_figures_rise_while_a_client_downloads", "a_service_is_proven", "everything_is_undone",
    "etc_is_as_after_the_first_login", "the_console_is_empty",
];
const names = Object.keys(tests).filter(name => name !== "the_installed_packages_need_no_terminal" && name !== "etc_is_as_after_the_first_login");
/** Those of `make test` are a user, an administrator, German, one refusal. Each test goes on where the one before ended. */
const chosen = { fast: [...names.slice(0, 4), "the_console_is_empty"], all: names, packages: PACKAGES }[lane];
const failures = [];
try {
    await browser.open();
    for (const name of chosen) {
        try {
            await tests[name]();
            console.log(`test cockpit::${name} ... ok`);
        } catch (error) {
            failures.push(name);
            console.log(`test cockpit::${name} ... FAILED\n${error.stack}`);
            await browser.screenshot(`${share}/failed-${name}.png`).catch(() => {});
            console.log(await browser.text("body").catch(() => ""), await browser.complaints().catch(() => []));
            await openPage().catch(() => {});
        }
    }
} finally {
    await browser.close();
}
console.log(`test result: ${failures.length ? "FAILED" : "ok"}. ${chosen.length - failures.length} passed; ${failures.length} failed`);
process.exitCode = failures.length ? 1 : 0;
