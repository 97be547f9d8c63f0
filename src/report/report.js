// SPDX-License-Identifier: MIT
// Makes time series zoom and read out, and tables sort. Without it the report is complete, only still.
"use strict";
(function () {
	const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	const number = (v, digits) => v.toLocaleString("en-US", { maximumFractionDigits: digits });
	const short = (v) => number(v, Math.abs(v) >= 100 ? 0 : Math.abs(v) >= 10 ? 1 : 3);

	function element(tag, className, text) {
		const e = document.createElement(tag);
		if (className) e.className = className;
		if (text) e.textContent = text;
		return e;
	}

	// A sample's value holds from the end of the one before it: what dygraphs calls a step plot starts there.
	function steps(data) {
		const rows = [];
		let start = data.start;
		for (const [end, value] of data.rows) {
			rows.push([start, value]);
			start = end;
		}
		rows.push([start, rows[rows.length - 1][1]]);
		return rows;
	}

	const clipped = (graph, area) => (x) => Math.min(Math.max(graph.toDomXCoord(x), area.x), area.x + area.w);

	// Stages, published steps and marks: below the grid and the curve.
	function underlay(data, canvas, area, graph) {
		const clip = clipped(graph, area);
		for (const band of data.bands) {
			const from = clip(band.from);
			canvas.fillStyle = css(band.accent ? "--band2" : "--band");
			canvas.fillRect(from, area.y, clip(band.to) - from, area.h);
		}
		canvas.strokeStyle = css("--c1");
		canvas.lineWidth = 2;
		canvas.setLineDash([2, 4]);
		for (const [from, to, value] of data.published) {
			const y = graph.toDomYCoord(value);
			canvas.beginPath();
			canvas.moveTo(clip(from), y);
			canvas.lineTo(clip(to), y);
			canvas.stroke();
		}
		canvas.setLineDash([]);
		for (const mark of data.marks) {
			canvas.fillStyle = css("--ink");
			if (mark.lo !== null && mark.hi !== null) {
				canvas.globalAlpha = 0.14;
				canvas.fillRect(clip(mark.lo), area.y, clip(mark.hi) - clip(mark.lo), area.h);
				canvas.globalAlpha = 1;
			}
			const at = graph.toDomXCoord(mark.at);
			if (at < area.x || at > area.x + area.w) continue;
			canvas.fillRect(at - 0.5, area.y, 1, area.h);
		}
	}

	// Their names: above the grid, each on a ground of its own so that no grid line runs through it.
	function names(data, canvas, area, graph) {
		const clip = clipped(graph, area), font = "12px " + getComputedStyle(document.body).fontFamily;
		function write(text, x, y, room) {
			if (canvas.measureText(text).width + 6 > room) return;
			canvas.strokeText(text, x, y);
			canvas.fillText(text, x, y);
		}
		canvas.save();
		canvas.font = font;
		canvas.textBaseline = "top";
		canvas.fillStyle = css("--ink");
		canvas.strokeStyle = css("--band");
		canvas.lineWidth = 4;
		canvas.lineJoin = "round";
		canvas.textAlign = "center";
		for (const band of data.bands) {
			const from = clip(band.from), to = clip(band.to);
			write(band.label, (from + to) / 2, area.y + 22, to - from);
		}
		canvas.font = "600 " + font;
		for (const mark of data.marks) {
			const at = graph.toDomXCoord(mark.at);
			if (at < area.x || at > area.x + area.w) continue;
			const right = area.x + area.w - at > at - area.x, room = Math.max(area.x + area.w - at, at - area.x) - 8;
			canvas.textAlign = right ? "left" : "right";
			const label = canvas.measureText(mark.label).width < room ? mark.label : mark.brief;
			write(label, at + (right ? 6 : -6), area.y + 4, room);
		}
		canvas.restore();
	}

	function zoomable(figure) {
		const data = JSON.parse(figure.querySelector(".series").textContent);
		const box = element("div", "live"), bar = element("div", "bar"), plot = element("div", "plot");
		const out = element("output", "", "");
		const hint = "Drag to zoom, point to read a value." + (data.published.length ? " Dotted: published." : "");
		plot.setAttribute("role", "img");
		plot.setAttribute("aria-label", figure.querySelector("figcaption").textContent + "; the data is in the table below");
		out.textContent = hint;
		out.setAttribute("aria-live", "polite");
		bar.append(out);
		box.append(bar, plot);
		figure.querySelector(".static").after(box);
		figure.classList.add("on");
		const rows = steps(data), first = rows[0][0], last = rows[rows.length - 1][0];
		const top = rows.concat(data.published.map((step) => [0, step[2]])).reduce((most, row) => Math.max(most, row[1] === null ? most : row[1]), 0);
		let ground;
		const options = {
			labels: [data.name || "x", data.y],
			stepPlot: true,
			legend: "never",
			strokeWidth: 1.5,
			axisLabelFontSize: 12,
			axes: {
				x: { axisLabelFormatter: (v) => number(v, 6), drawGrid: false, axisLabelWidth: 44 },
				y: { axisLabelFormatter: (v) => number(v, 6), axisLabelWidth: 52 },
			},
			xlabel: data.name + ", " + data.x,
			ylabel: data.y,
			gridLineWidth: 1,
			rightGap: 22, // room for half a label: dygraphs moves one that stands out to the left of its tick
			xLabelHeight: 16,
			yLabelWidth: 16,
			underlayCallback: (canvas, area, graph) => {
				ground = [canvas, area];
				underlay(data, canvas, area, graph);
			},
			drawCallback: (graph) => names(data, ...ground, graph),
			highlightCallback: (event, x, points) => {
				const y = points[0].yval;
				out.textContent = data.name + " " + short(x) + " " + data.x + ": " + (y === null ? "no value" : short(y) + " " + data.y);
			},
			unhighlightCallback: () => (out.textContent = hint),
		};
		if (data.zero) options.valueRange = [0, top * (data.marks.length || data.bands.length ? 1.22 : 1.06) || 1];
		const graph = new Dygraph(plot, rows, options);
		function paint() {
			graph.updateOptions({
				colors: [css("--c" + data.colour)],
				gridLineColor: css("--grid"),
				axisLineColor: css("--soft"),
			});
		}
		function zoom(factor, shift) {
			const [lo, hi] = graph.xAxisRange(), middle = (lo + hi) / 2 + shift * (hi - lo);
			const half = Math.min(((hi - lo) / 2) * factor, (last - first) / 2);
			const at = Math.min(Math.max(middle, first + half), last - half);
			graph.updateOptions({ dateWindow: [at - half, at + half] });
		}
		const actions = [
			["\u2212", "Zoom out", () => zoom(2, 0)],
			["+", "Zoom in", () => zoom(0.5, 0)],
			["\u2190", "Move left", () => zoom(1, -0.25)],
			["\u2192", "Move right", () => zoom(1, 0.25)],
			["All", "Show everything", () => graph.updateOptions({ dateWindow: [first, last] })],
		];
		for (const [text, label, act] of actions) {
			const button = element("button", "", text);
			button.type = "button";
			button.title = label;
			button.setAttribute("aria-label", label);
			button.addEventListener("click", act);
			bar.append(button);
		}
		paint();
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
		figure.dygraph = graph;
	}

	// A header cell becomes a button; cells compare by their data-value, numbers before words, empty ones last.
	function sortable(table) {
		const heads = table.tHead.rows[0].cells, body = table.tBodies[0];
		Array.from(heads).forEach((head, column) => {
			const button = element("button", "", head.textContent);
			button.type = "button";
			head.replaceChildren(button);
			button.addEventListener("click", () => {
				const down = head.getAttribute("aria-sort") !== "descending";
				for (const other of heads) other.removeAttribute("aria-sort");
				head.setAttribute("aria-sort", down ? "descending" : "ascending");
				const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
				const order = (a, b) => {
					const x = key(a), y = key(b);
					if (x === "" || y === "") return (x === "") - (y === "");
					const both = Number(x) - Number(y);
					return (isNaN(both) ? x.localeCompare(y) : both) * (down ? -1 : 1);
				};
				body.append(...Array.from(body.rows).sort(order));
			});
		});
	}

	document.querySelectorAll("figure.zoomable").forEach(zoomable);
	document.querySelectorAll("table.sortable").forEach(sortable);
})();
