(function () {
  "use strict";
  var tip = document.getElementById("tip");
  var cross = null;

  function show(text, x, y) {
    tip.textContent = text;
    tip.hidden = false;
    var w = tip.offsetWidth, h = tip.offsetHeight;
    tip.style.left = Math.max(8, Math.min(x + 14, innerWidth - w - 8)) + "px";
    tip.style.top = Math.max(8, y - h - 12 < 8 ? y + 18 : y - h - 12) + "px";
  }
  function hide() {
    tip.hidden = true;
    if (cross) { cross.remove(); cross = null; }
  }

  // A mark's title is its read-out without scripts; with them it moves here,
  // so that the two do not show at once.
  document.querySelectorAll("svg .tip").forEach(function (g) {
    var title = g.querySelector("title");
    if (!title) return;
    var text = title.textContent;
    g.setAttribute("aria-label", text.replace(/\n/g, ", "));
    title.remove();
    g.addEventListener("pointermove", function (e) { show(text, e.clientX, e.clientY); });
    g.addEventListener("pointerleave", hide);
  });

  function clock(s) {
    var m = Math.floor(s / 60), r = s - 60 * m;
    return m + ":" + (r < 10 ? "0" : "") + (Number.isInteger(r) ? r : r.toFixed(1));
  }
  document.querySelectorAll("svg .probe").forEach(function (probe) {
    var svg = probe.ownerSVGElement;
    var series = Array.prototype.map.call(svg.querySelectorAll(".series"), function (g) {
      return { name: g.dataset.name, values: g.dataset.values.split(",") };
    });
    var n = series.length ? series[0].values.length : 0;
    var x0 = +probe.getAttribute("x"), w = +probe.getAttribute("width");
    probe.addEventListener("pointermove", function (e) {
      var box = probe.getBoundingClientRect();
      var i = Math.floor((e.clientX - box.left) / box.width * n);
      if (i < 0 || i >= n) return;
      if (!cross) {
        cross = document.createElementNS("http://www.w3.org/2000/svg", "line");
        cross.setAttribute("class", "cross");
        svg.appendChild(cross);
      }
      var x = x0 + (i + 0.5) / n * w, y = +probe.getAttribute("y");
      cross.setAttribute("x1", x); cross.setAttribute("x2", x);
      cross.setAttribute("y1", y); cross.setAttribute("y2", y + +probe.getAttribute("height"));
      var lines = series.map(function (s) { return s.name + " " + (s.values[i] === "" ? "–" : (+s.values[i]).toLocaleString("en", { maximumSignificantDigits: 4 })); });
      show(clock(i * +probe.dataset.step) + "\n" + lines.join("\n"), e.clientX, e.clientY);
    });
    probe.addEventListener("pointerleave", hide);
  });

  document.querySelectorAll("table.sortable").forEach(function (table) {
    var heads = table.tHead.rows[0].cells, body = table.tBodies[0];
    Array.prototype.forEach.call(heads, function (th, column) {
      var label = th.querySelector("span"), button = document.createElement("button");
      button.type = "button";
      button.textContent = label.textContent;
      label.replaceWith(button);
      button.addEventListener("click", function () {
        var down = th.getAttribute("aria-sort") === "ascending";
        Array.prototype.forEach.call(heads, function (h) { h.removeAttribute("aria-sort"); });
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        Array.prototype.slice.call(body.rows).sort(function (a, b) {
          return order(a.cells[column], b.cells[column], down ? -1 : 1);
        }).forEach(function (row) { body.appendChild(row); });
      });
    });
  });
  // What is not known goes last, whichever way the rest is sorted.
  function order(a, b, sign) {
    var x = a.dataset.sort, y = b.dataset.sort;
    if (x === undefined && y === undefined) return sign * a.textContent.localeCompare(b.textContent);
    if (x === undefined) return 1;
    if (y === undefined) return -1;
    return sign * (x - y);
  }
})();
