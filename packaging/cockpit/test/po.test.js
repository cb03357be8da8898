// node --test packaging/cockpit/test: the translations of the page, as packaging/cockpit/page makes them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";

const here = new URL("../", import.meta.url).pathname;
const made = mkdtempSync(`${tmpdir()}/cockpit-page-`);
process.on("exit", () => rmSync(made, { recursive: true }));
execFileSync(`${here}/page`, [made]);
const read = name => readFileSync(`${made}/${name}`, "utf8");
const languages = readdirSync(`${here}/po`).map(name => name.replace(/\.po$/, ""));

/** What Cockpit is given by a file that page made. */
function given(name) {
    let texts = {};
    new Function("cockpit", read(name))({ locale: found => { texts = found; } });
    return texts;
}

/** The texts of the page and its menu, each once. */
function used() {
    const { label, keywords } = JSON.parse(read("manifest.json")).menu.index;
    const menu = [label, ...keywords.filter(one => one.translate !== false).flatMap(one => one.matches)];
    const page = [...read("index.html").matchAll(/translate="yes">([^<]+)</g)].map(found => found[1]);
    const sources = readdirSync(made).filter(name => /^[a-z]+\.js$/.test(name)).map(read);
    const scripts = sources.flatMap(text => [...text.matchAll(/\b_\(("(?:[^"\\]|\\.)*")\)/g)].map(found => JSON.parse(found[1])));
    assert.ok(menu.length > 1 && page.length > 4 && scripts.length > 100);
    return { menu: [...new Set(menu)].sort(), all: [...new Set([...menu, ...page, ...scripts])].sort() };
}

test("every text is translated, and no translation is of a text that is gone", () => {
    const { menu, all } = used();
    assert.ok(languages.includes("de"));
    for (const language of languages) {
        const { "": head, ...texts } = given(`po.${language}.js`);
        assert.equal(head.language, language);
        assert.deepEqual(Object.keys(texts).sort(), all, language);
        const { "": again, ...ofMenu } = given(`po.manifest.${language}.js`);
        assert.equal(again.language, language);
        assert.deepEqual(Object.keys(ofMenu).sort(), menu, language);
    }
});

test("a translation has the values of its text, and is another text", () => {
    const values = text => (text.match(/\$\d/g) ?? []).sort().join();
    for (const language of languages) {
        const { "": _, ...texts } = given(`po.${language}.js`);
        for (const [text, [plural, translated]] of Object.entries(texts)) {
            assert.equal(plural, null, text);
            assert.equal(values(translated), values(text), text);
            assert.ok(translated.trim() && (translated !== text || text.length < 16), text);
        }
    }
});

test("every text is used, and none is written outside the table of texts", async () => {
    const { texts } = await import("../outboard/texts.js");
    const sources = readdirSync(made).filter(name => /^[a-z]+\.js$/.test(name) && name !== "texts.js").map(read);
    for (const key of Object.keys(texts)) {
        // A button's are named by its kind.
        assert.ok(sources.some(text => new RegExp(`texts\\.${key}\\b|"${key}"|\\b${key}: `).test(text)), key);
    }
    // A literal with two words is a text.
    for (const text of sources) assert.doesNotMatch(text.replace(/^\s*(\/\/|\/?\*).*$/gm, ""), /["`][A-Z][a-z]+ [a-z]+/);
});
