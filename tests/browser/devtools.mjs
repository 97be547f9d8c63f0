// SPDX-License-Identifier: MIT
// A headless Chromium without network, driven through a pair of pipes (the DevTools protocol): no port, no library.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function findChromium() {
	for (const name of [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"])
		if (name && spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0) return name;
	return null;
}

export class Browser {
	constructor(chromium) {
		this.profile = mkdtempSync(join(tmpdir(), "ssdscope-browser-"));
		const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-extensions",
			"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
			"--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe", `--user-data-dir=${this.profile}`, "about:blank"];
		this.process = spawn(chromium, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.waiting = new Map();
		this.listeners = [];
		this.last = 0;
		let rest = Buffer.alloc(0);
		this.process.stdio[4].on("data", (chunk) => {
			rest = Buffer.concat([rest, chunk]);
			for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1))
				this.receive(JSON.parse(rest.subarray(0, end).toString()));
		});
		this.process.on("exit", (code) => {
			for (const { reject } of this.waiting.values()) reject(new Error(`chromium ended (${code})`));
		});
	}

	receive(message) {
		if (!message.id) {
			for (const listener of this.listeners) listener(message);
			return;
		}
		const { resolve, reject, method } = this.waiting.get(message.id);
		this.waiting.delete(message.id);
		if (message.error) reject(new Error(`${method}: ${message.error.message}`));
		else resolve(message.result);
	}

	send(method, params = {}, sessionId) {
		const id = ++this.last;
		this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
		return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, method }));
	}

	async page() {
		const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
		const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
		const page = new Page(this, sessionId, targetId);
		for (const domain of ["Page", "Runtime", "Network", "Log"]) await page.send(`${domain}.enable`);
		return page;
	}

	async close() {
		await this.send("Browser.close").catch(() => {});
		await new Promise((resolve) => (this.process.exitCode === null ? this.process.on("exit", resolve) : resolve()));
		rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
	}
}

class Page {
	constructor(browser, session, target) {
		this.browser = browser;
		this.session = session;
		this.target = target;
		this.problems = [];
		this.requests = [];
		this.loaded = null;
		browser.listeners.push((m) => m.sessionId === session && this.event(m.method, m.params));
	}

	event(method, p) {
		if (method === "Runtime.exceptionThrown") this.problems.push(p.exceptionDetails.exception?.description ?? p.exceptionDetails.text);
		if (method === "Runtime.consoleAPICalled" && p.type === "error") this.problems.push(JSON.stringify(p.args));
		if (method === "Log.entryAdded" && p.entry.level === "error") this.problems.push(p.entry.text);
		if (method === "Page.javascriptDialogOpening") this.problems.push(`a dialog: ${p.message}`);
		if (method === "Network.requestWillBeSent") this.requests.push(p.request.url);
		if (method === "Page.loadEventFired") this.loaded?.();
	}

	send(method, params) {
		return this.browser.send(method, params, this.session);
	}

	async show(file, { width = 1280, height = 1000, dark = false, scripts = true, print = false, scale = 1 } = {}) {
		this.problems = [];
		this.requests = [];
		await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: false });
		await this.send("Emulation.setEmulatedMedia", {
			media: print ? "print" : "",
			features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
		});
		await this.send("Emulation.setScriptExecutionDisabled", { value: !scripts });
		const loaded = new Promise((resolve) => (this.loaded = resolve));
		const { errorText } = await this.send("Page.navigate", { url: `file://${file}` });
		if (errorText) throw new Error(`${file}: ${errorText}`);
		await loaded;
	}

	// The value of an expression or of a function called with arguments, in the page.
	async eval(code, ...args) {
		const expression = typeof code === "function" ? `(${code})(...${JSON.stringify(args)})` : code;
		const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
		if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		return result.value;
	}

	mouse(type, x, y, more = {}) {
		return this.send("Input.dispatchMouseEvent", { type, x, y, ...more });
	}
}
