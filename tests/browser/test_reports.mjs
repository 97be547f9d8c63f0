// SPDX-License-Identifier: MIT
// The reports in a real browser. Usage: test_reports.mjs SAMPLE_REPORTS_PROGRAM. Exit code 77: no Chromium, nothing tested.
import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Browser, findChromium } from "./devtools.mjs";

const chromium = findChromium();
if (!chromium) {
	console.error("SKIPPED: no chromium; install it (apt-get install chromium) to test the reports in a browser");
	process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), "ssdscope-reports-"));
const made = spawnSync(process.argv[2], [folder], { stdio: "inherit" });
if (made.status !== 0) {
	rmSync(folder, { recursive: true });
	throw new Error(`${process.argv[2]} failed: ${made.error ?? made.status}`);
}
const file = (name) => join(folder, name);
const documents = ["review.html", "compare-3.html", "compare-15.html", "partial.html", "hostile.html", "hostile-compare.html", "sparse.html",
	"long.html", "long-compare-3.html", "long-compare-8.html"];

const browser = new Browser(chromium);
const page = await browser.page();
let failed = 0, passed = 0;

async function test(name, run) {
	try {
		await run();
		passed++;
		console.log(`ok ${name}`);
	} catch (error) {
		failed++;
		console.log(`not ok ${name}\n  ${String(error.message).replaceAll("\n", "\n  ")}`);
	}
}

// Texts of pictures that cover each other or stand out of their picture; of pictures that are shown.
function badTexts() {
	const bad = [];
	for (const svg of document.querySelectorAll("svg")) {
		const frame = svg.getBoundingClientRect();
		if (!frame.width) continue;
		const scale = frame.width / svg.viewBox.baseVal.width;
		const boxes = Array.from(svg.querySelectorAll("text"), (t) => ({ text: t.textContent, box: t.getBoundingClientRect() }));
		const where = svg.querySelector("title").textContent;
		boxes.forEach(({ text, box }, i) => {
			if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
				bad.push(`${where}: "${text}" stands out by ${Math.round(Math.max(frame.left - box.left, box.right - frame.right))}`);
			for (const other of boxes.slice(0, i)) {
				const w = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
				// A line box is higher than its letters: two rows 15 px apart do not touch.
				const h = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) - 3 * scale;
				if (w > 1 && h > 1) bad.push(`${where}: "${text}" on "${other.text}"`);
			}
		});
	}
	return bad;
}

// Texts that are hard to read on their ground (WCAG 2: contrast of at least 4.5).
function paleTexts() {
	const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	const light = (colour) => {
		const [r, g, b] = colour.match(/[\d.]+/g).map(Number);
		return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
	};
	const ground = light(getComputedStyle(document.body).backgroundColor);
	const contrast = (colour) => {
		const own = light(colour);
		return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
	};
	const pale = new Set();
	for (const e of document.querySelectorAll("svg text, h1, h2, p, td, th, dt, dd, summary, a, figcaption")) {
		if (!e.getClientRects().length || !e.textContent) continue;
		const style = getComputedStyle(e), colour = e.closest("svg") ? style.fill : style.color;
		if (contrast(colour) < 4.5) pale.add(`${e.nodeName}.${e.getAttribute("class")} ${colour}: ${contrast(colour).toFixed(2)}`);
	}
	return { ground, pale: Array.from(pale) };
}

await test("the check of texts finds one that covers another, and one that stands out", async () => {
	await page.show(file("review.html"));
	const bad = await page.eval(`(() => {
		const texts = document.querySelectorAll("#recovery-fast .wide text");
		for (const axis of ["x", "y"]) texts[3].setAttribute(axis, texts[1].getAttribute(axis));
		texts[4].setAttribute("x", 2000);
		return (${badTexts})();
	})()`);
	assert.equal(bad.length, 2, bad.join("; "));
});

for (const name of documents) {
	for (const width of [1280, 820, 390]) {
		for (const dark of [false, true]) {
			await test(`${name} ${width} px ${dark ? "dark" : "light"}: no error, no request, texts apart and legible`, async () => {
				await page.show(file(name), { width, dark });
				assert.deepEqual(page.problems, []);
				assert.deepEqual(page.requests.filter((url) => url !== `file://${file(name)}`), []);
				assert.deepEqual(await page.eval(badTexts), []);
				const { ground, pale } = await page.eval(paleTexts);
				assert.equal(ground < 0.2, dark);
				assert.deepEqual(pale, []);
				const [scroll, inner] = await page.eval("[document.documentElement.scrollWidth, innerWidth]");
				assert.ok(scroll <= inner, `${scroll} px wide in a window of ${inner}`);
				assert.equal(await page.eval("typeof window.pwned"), "undefined");
			});
		}
	}
	await test(`${name}: complete without scripts`, async () => {
		await page.show(file(name), { scripts: false });
		assert.deepEqual(await page.eval(badTexts), []);
		const hidden = await page.eval(() => Array.from(document.querySelectorAll("figure")).filter((f) =>
			!Array.from(f.querySelectorAll("svg")).some((s) => s.getClientRects().length)).length);
		assert.equal(hidden, 0);
	});
	await test(`${name}: every picture has a name, a description and a table; ids are unique`, async () => {
		await page.show(file(name));
		const faults = await page.eval(() => {
			const ids = Array.from(document.querySelectorAll("[id]"), (e) => e.id), faults = [];
			for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push(`id ${id} twice`);
			for (const svg of document.querySelectorAll("svg"))
				for (const id of svg.getAttribute("aria-labelledby").split(" "))
					if (!document.getElementById(id)?.textContent) faults.push(`${id} is missing or empty`);
			for (const figure of document.querySelectorAll("figure")) if (!figure.querySelector("details table tr + tr")) faults.push(`${figure.id} has no table`);
			for (const e of document.querySelectorAll("[tabindex]")) if (!e.role && !e.getAttribute("role") || !e.getAttribute("aria-label")) faults.push(`a focus without a name: ${e.outerHTML.slice(0, 80)}`);
			return faults;
		});
		assert.deepEqual(faults, []);
	});
}

await test("every table has rows, every link within the page leads somewhere", async () => {
	for (const name of documents) {
		await page.show(file(name));
		assert.deepEqual(await page.eval(() => Array.from(document.querySelectorAll("tbody")).filter((body) => !body.rows.length).length), 0, name);
		assert.deepEqual(await page.eval(() => Array.from(document.querySelectorAll("a[href^='#']"), (a) => a.hash)
			.filter((hash) => !document.getElementById(hash.slice(1)))), [], name);
	}
});

await test("every point of a scatter can be identified", async () => {
	for (const name of ["compare-15.html", "long-compare-8.html", "compare-3.html"])
		for (const width of [1280, 390]) {
			await page.show(file(name), { width });
			const scatters = await page.eval(() => Array.from(document.querySelectorAll("figure[id$=-scatter]"), (figure) => {
				const svg = Array.from(figure.querySelectorAll("svg")).find((s) => s.getClientRects().length);
				return { id: figure.id, dots: svg.querySelectorAll("circle").length, texts: Array.from(svg.querySelectorAll("text"), (t) => t.textContent),
					names: Array.from(figure.querySelectorAll("table.data th[scope=row]"), (th) => th.textContent) };
			}));
			assert.ok(scatters.length >= 5, name);
			for (const { id, dots, texts, names } of scatters) {
				assert.equal(dots, names.length, id);
				for (const drive of names) assert.equal(texts.filter((t) => t === drive).length, 1, `${name} ${width} ${id}: ${drive}`);
				// With a key, each number stands once in it and once at its point.
				const first = texts.lastIndexOf("1");
				if (first >= 0 && texts[first + 1] === names.find((n) => n === texts[first + 1]))
					for (let i = 1; i <= dots; i++)
						assert.ok(texts.filter((t) => t === String(i)).length >= 2, `${name} ${width} ${id}: no ${i}`);
			}
		}
});

await test("ranks never fall from bar to bar", async () => {
	await page.show(file("compare-15.html"));
	const ranks = await page.eval(() => Array.from(document.querySelectorAll("figure[id^=compare] .wide svg"), (svg) =>
		Array.from(svg.querySelectorAll("text"), (t) => t.textContent.match(/^(\d+)[.=] /)?.[1]).filter(Boolean).map(Number)));
	assert.ok(ranks.filter((r) => r.length > 2).length > 20);
	for (const r of ranks) assert.deepEqual(r, [...r].sort((a, b) => a - b));
});

await test("the labels of a zoomable picture's time axis stand below their values", async () => {
	for (const width of [1280, 390]) {
		await page.show(file("review.html"), { width });
		const off = await page.eval(() => Array.from(document.querySelectorAll("figure.zoomable")).flatMap((figure) => {
			const left = figure.querySelector(".plot").getBoundingClientRect().left;
			return Array.from(figure.querySelectorAll(".dygraph-axis-label-x"), (label) => {
				const box = label.getBoundingClientRect(), value = Number(label.textContent.replaceAll(",", ""));
				return Math.abs((box.left + box.right) / 2 - left - figure.dygraph.toDomXCoord(value));
			});
		}));
		assert.ok(off.length > 6);
		assert.ok(Math.max(...off) < 2, `${off}`);
	}
});

await test("hostile names are shown as what they are", async () => {
	await page.show(file("hostile.html"));
	assert.equal(await page.eval("document.querySelector('h1').textContent"), "</script><script>window.pwned = 1</script>");
	assert.equal(await page.eval("document.querySelectorAll('img, h1 *, header svg').length"), 0);
});

await test("a policy of its own forbids every script but the two that are named", async () => {
	const policy = await page.eval("document.querySelector('meta[http-equiv]').content");
	assert.match(policy, /^default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[^']+' 'sha256-[^']+'$/);
	const blocked = await page.eval(() => new Promise((resolve) => {
		document.addEventListener("securitypolicyviolation", (event) => resolve(event.violatedDirective));
		const script = document.createElement("script");
		script.textContent = "window.pwned = 1";
		document.body.append(script);
	}));
	assert.match(blocked, /script-src/);
	assert.equal(await page.eval("typeof window.pwned"), "undefined");
});

await test("prints in light colours, still pictures, as vectors", async () => {
	await page.show(file("review.html"), { dark: true, print: true });
	assert.deepEqual(await page.eval(badTexts), []);
	const shown = await page.eval(() => Array.from(document.querySelectorAll(".live, .narrow, nav")).filter((e) => e.getClientRects().length).length);
	assert.equal(shown, 0);
	assert.ok((await page.eval(paleTexts)).ground > 0.9);
	const pdf = Buffer.from((await page.send("Page.printToPDF", { printBackground: true })).data, "base64").toString("latin1");
	assert.ok(pdf.startsWith("%PDF"));
	assert.ok((pdf.match(/\/Type ?\/Page\b/g) ?? []).length >= 5);
	assert.equal(pdf.match(/\/Subtype ?\/Image/), null, "there is a raster image in the PDF");
});

await test("time series zoom by button, by dragging and by keyboard, and read out under the pointer", async () => {
	await page.show(file("review.html"));
	const range = () => page.eval("document.querySelector('#fill-over-gb').dygraph.xAxisRange()");
	const press = (label) => page.eval((text) => Array.from(document.querySelectorAll("#fill-over-gb button")).find((b) => b.title === text).click(), label);
	const whole = await range();
	await press("Zoom in");
	const half = await range();
	assert.ok(Math.abs((half[1] - half[0]) / (whole[1] - whole[0]) - 0.5) < 0.01);
	await press("Move right");
	assert.ok((await range())[0] > half[0]);
	await press("Show everything");
	assert.deepEqual((await range()).map(Math.round), whole.map(Math.round));
	const box = await page.eval(() => {
		const plot = document.querySelector("#fill-over-gb .plot");
		plot.scrollIntoView({ block: "center" });
		const b = plot.getBoundingClientRect();
		return { x: b.left, y: b.top, width: b.width, height: b.height };
	});
	const y = box.y + box.height / 2;
	await page.mouse("mouseMoved", box.x + box.width * 0.75, y);
	const words = await page.eval("document.querySelector('#fill-over-gb output').textContent");
	const [, at, value] = words.match(/^written ([\d.,]+) GB: ([\d.,]+) MB\/s$/) ?? assert.fail(words);
	const rows = await page.eval("JSON.parse(document.querySelector('#fill-over-gb .series').textContent).rows");
	const sample = rows.findIndex((row) => row[0] > Number(at.replaceAll(",", "")) + 0.51);
	assert.ok(rows.slice(Math.max(sample - 2, 0), sample + 3).some((row) => Math.abs(row[1] - Number(value.replaceAll(",", ""))) < 0.51), words);
	await page.mouse("mousePressed", box.x + box.width * 0.4, y, { button: "left", clickCount: 1 });
	await page.mouse("mouseMoved", box.x + box.width * 0.5, y, { button: "left" });
	await page.mouse("mouseMoved", box.x + box.width * 0.6, y, { button: "left" });
	await page.mouse("mouseReleased", box.x + box.width * 0.6, y, { button: "left", clickCount: 1 });
	await new Promise((resolve) => setTimeout(resolve, 50));
	const dragged = await range();
	assert.ok(dragged[1] - dragged[0] < 0.3 * (whole[1] - whole[0]), `${dragged}`);
	// Keyboard: the button has the focus ring and reacts to Enter.
	await page.eval("document.querySelector('#fill-over-gb button').focus()");
	for (const type of ["keyDown", "keyUp"]) await page.send("Input.dispatchKeyEvent", { type, key: "Enter", code: "Enter", text: "\r", windowsVirtualKeyCode: 13 });
	const wider = await range();
	assert.ok(wider[1] - wider[0] > 1.5 * (dragged[1] - dragged[0]));
	assert.deepEqual(page.problems, []);
});

await test("the colours of a zoomable picture follow the theme", async () => {
	await page.show(file("review.html"));
	const colour = () => page.eval("document.querySelector('#fill-over-gb').dygraph.getColors()[0]");
	const light = await colour();
	await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
	const changed = await page.eval(async (light) => {
		for (let i = 0; i < 100 && document.querySelector("#fill-over-gb").dygraph.getColors()[0] === light; i++)
			await new Promise((resolve) => setTimeout(resolve, 20));
		return document.querySelector("#fill-over-gb").dygraph.getColors()[0] !== light;
	}, light);
	assert.ok(changed);
});

await test("tables sort by number and by name, empty cells last", async () => {
	await page.show(file("compare-15.html"));
	const column = (k) => page.eval((k) => Array.from(document.querySelectorAll(".sortable tbody tr"), (row) =>
		row.cells[k].dataset.value ?? row.cells[k].textContent), k);
	const click = (k) => page.eval((k) => document.querySelectorAll(".sortable thead th button")[k].click(), k);
	for (const k of [2, 5]) {
		await click(k);
		const down = (await column(k)).filter((v) => v !== "").map(Number);
		assert.deepEqual(down, [...down].sort((a, b) => b - a));
		assert.ok(down.length > 10);
		await click(k);
		const up = await column(k);
		assert.deepEqual(up.filter((v) => v !== "").map(Number), [...down].reverse());
		assert.ok(up.indexOf("") < 0 || up.slice(up.indexOf("")).every((v) => v === ""));
	}
	await click(0);
	await click(0);
	const names = await column(0);
	assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b)));
	assert.equal(await page.eval("document.querySelector('[aria-sort]').cellIndex"), 0);
});

const figures = JSON.parse(readFileSync(file("review.json")));
const samples = readFileSync(file("review.csv"), "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));

await test("the series of the fill is the store's, sample by sample", async () => {
	await page.show(file("review.html"));
	const read = (id) => page.eval((id) => JSON.parse(document.querySelector(`#${id} .series`).textContent), id);
	const overTime = await read("fill-over-time"), overBytes = await read("fill-over-gb");
	// A slot that is too short for a rate joins the one before it.
	const slots = [];
	samples.forEach(([seconds, written], i) => {
		if (i && seconds - samples[i - 1][0] < 0.4 * samples[0][0]) slots.push([seconds, slots.pop()[1] + written]);
		else slots.push([seconds, written]);
	});
	assert.equal(overTime.rows.length, slots.length);
	const unit = { s: 1, min: 60, h: 3600 }[overTime.x];
	let before = 0, bytes = 0;
	slots.forEach(([seconds, written], i) => {
		const rate = written / (seconds - before) / 1e6;
		bytes += written;
		before = seconds;
		const near = (got, want) => assert.ok(Math.abs(got - want) <= 1e-5 * Math.abs(want), `sample ${i}: ${got}, not ${want}`);
		near(overTime.rows[i][0] * unit, seconds);
		near(overTime.rows[i][1], rate);
		near(overBytes.rows[i][0], bytes / 1e9);
		near(overBytes.rows[i][1], rate);
	});
	assert.ok(Math.abs(bytes - figures.tests.fill.bytes) < 1);
});

// The rows of the table under a chart.
const table = (id) => page.eval((id) => Array.from(document.querySelectorAll(`#${id} .data tr`), (row) => Array.from(row.cells, (c) => c.textContent)).slice(1), id);
const close = (text, value) => assert.ok(Math.abs(Number(text.replaceAll(",", "")) - value) <= 0.0051 * Math.abs(value) + 0.0005, `${text}, not ${value}`);

await test("the tables under the charts hold the figures of the JSON document", async () => {
	const sweep = await table("seq-read-speed");
	const points = [...figures.tests["seq-read"].fresh.points, ...figures.tests["seq-read"].fragmented.points];
	assert.equal(sweep.length, points.length);
	sweep.forEach(([, qd, mbps], i) => {
		close(qd, points[i].qd);
		close(mbps, points[i].mbps);
	});
	const recovery = await table("recovery-fast");
	recovery.forEach(([, gb], i) => close(gb, figures.tests.recovery.points[i].fast_bytes / 1e9));
	const bursts = await table("bursts-seq");
	close(bursts[0][1], figures.tests["burst-seq-read"].mbps);
	close(bursts[1][1], figures.tests["burst-seq-write"].mbps);
	assert.deepEqual(bursts[0][2].split(" \u00b7 ").length, figures.tests["burst-seq-read"].bursts.length);
	const mixed = await table("mixed-rand-speed");
	mixed.forEach(([share, mbps], i) => {
		close(share, 100 * figures.tests["mixed-rand"].points[i].read_share);
		close(mbps, figures.tests["mixed-rand"].points[i].mbps);
	});
});

await test("bars are as long, and points as high, as their values", async () => {
	const drawn = await page.eval(() => {
		const widths = Array.from(document.querySelectorAll("#recovery-fast .wide .bar"), (r) => r.width.baseVal.value);
		const svg = document.querySelector("#seq-read-speed .wide svg");
		const dots = Array.from(svg.querySelectorAll("circle"), (c) => c.cy.baseVal.value);
		const ticks = Array.from(svg.querySelectorAll("text.tick[text-anchor=end]"), (t) => [Number(t.textContent.replaceAll(",", "")), t.y.baseVal[0].value - 4]);
		return { widths, dots, ticks };
	});
	const points = figures.tests.recovery.points;
	drawn.widths.forEach((w, i) => assert.ok(Math.abs(w / drawn.widths.at(-1) - points[i].fast_bytes / points.at(-1).fast_bytes) < 0.002));
	const [[v0, y0], [v1, y1]] = [drawn.ticks[0], drawn.ticks.at(-1)];
	const sweep = [...figures.tests["seq-read"].fresh.points, ...figures.tests["seq-read"].fragmented.points];
	assert.equal(drawn.dots.length, sweep.length);
	drawn.dots.forEach((y, i) => assert.ok(Math.abs(v0 + ((y - y0) / (y1 - y0)) * (v1 - v0) - sweep[i].mbps) < 0.005 * v1));
});

await test("two million samples make no larger picture than two thousand", async () => {
	await page.show(file("dense.html"));
	assert.deepEqual(page.problems, []);
	const size = () => page.eval("document.querySelector('#fill-over-time .wide').innerHTML.length");
	const dense = await size();
	await page.show(file("sparse.html"));
	assert.ok(dense < 1.5 * (await size()), `${dense} characters`);
	assert.ok(statSync(file("dense.html")).size < 4e6);
});

await test("runs of the same name are told apart in every picture and table", async () => {
	await page.show(file("long-compare-8.html"));
	const rows = await page.eval(() => Array.from(document.querySelectorAll(".sortable tbody th"), (th) => th.textContent));
	assert.equal(new Set(rows).size, 8);
	assert.equal(rows.filter((name) => /^same \(run \d+\)$/.test(name)).length, 3);
	assert.equal(rows.filter((name) => /… \(run \d+\)$/.test(name)).length, 4);
	assert.ok(rows.includes("other"));
	// Every bar of a ranking and every point of a scatter is one of these, and none of them comes twice.
	const named = await page.eval(() => Array.from(document.querySelectorAll("figure[id^=compare] table.data"), (table) =>
		[table.closest("figure").id, Array.from(table.querySelectorAll("th[scope=row]"), (th) => th.textContent).filter((t) => !t.endsWith("(published)"))]));
	assert.ok(named.length > 30);
	for (const [id, names] of named) for (const name of names) assert.ok(rows.includes(name) || /-curve-/.test(id), `${id}: ${name}`);
	const bars = await page.eval(() => Array.from(document.querySelectorAll("figure[id^=compare] svg"), (svg) => [svg.querySelector("title").textContent,
		Array.from(svg.querySelectorAll("text"), (t) => t.textContent.match(/^\d+[.=] (.*)$/)?.[1]).filter(Boolean)]));
	for (const [title, names] of bars) {
		assert.equal(new Set(names).size, names.length, title);
		for (const name of names) assert.ok(rows.includes(name), `${title}: ${name} is cut`);
	}
});

await test("pictures as files are valid and their texts apart", async () => {
	const names = ["svg", "long-svg"].flatMap((folder) => readdirSync(file(folder)).map((name) => join(folder, name)));
	assert.ok(names.length > 100, `${names.length} files`);
	for (const name of names) {
		await page.show(file(name), { width: 1000 });
		assert.equal(await page.eval("document.documentElement.nodeName"), "svg", name);
		assert.equal(await page.eval("document.querySelectorAll('parsererror').length"), 0, name);
		assert.deepEqual(await page.eval(badTexts), [], name);
	}
});

await browser.close();
if (!process.env.KEEP_REPORTS) rmSync(folder, { recursive: true });
else console.log(`kept: ${folder}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
