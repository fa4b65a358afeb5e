"use strict";
(function () {
  function make(name, attributes, text) {
    var element = document.createElement(name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    if (text !== undefined) { element.textContent = text; }
    return element;
  }
  function all(selector, within) { return Array.from((within || document).querySelectorAll(selector)); }

  var tools = make("div", { "class": "tools" });
  document.querySelector("h1").after(tools);

  // One run at a time, if there are several.
  var runs = all("section.run");
  if (runs.length > 1) {
    var choices = [["All runs", null]].concat(runs.map(function (run, at) {
      return [(at + 1) + ": " + run.dataset.name, run];
    }));
    var buttons = choices.map(function (choice) {
      var button = make("button", { type: "button", "aria-pressed": String(choice[1] === null) }, choice[0]);
      button.addEventListener("click", function () {
        runs.forEach(function (run) { run.hidden = choice[1] !== null && run !== choice[1]; });
        buttons.forEach(function (other) { other.setAttribute("aria-pressed", String(other === button)); });
      });
      tools.append(button);
      return button;
    });
  }

  // Only some rows.
  var words = make("input", { type: "search", placeholder: "only rows with…", "aria-label": "only rows with" });
  var size = make("select", { "aria-label": "size" });
  size.append(make("option", { value: "" }, "all sizes"));
  var sizes = new Set(all("[data-row-size]").map(function (row) { return Number(row.dataset.rowSize); }));
  Array.from(sizes).sort(function (a, b) { return a - b; }).forEach(function (one) {
    size.append(make("option", { value: one }, "size " + one));
  });
  function filter() {
    var wanted = words.value.trim().toLowerCase();
    all("[data-row-case]").forEach(function (row) {
      var wrongSize = size.value !== "" && row.dataset.rowSize !== undefined && row.dataset.rowSize !== size.value;
      row.hidden = wrongSize || !row.dataset.rowCase.toLowerCase().includes(wanted);
    });
  }
  words.addEventListener("input", filter);
  size.addEventListener("change", filter);
  tools.append(words, size);

  // By column.
  all("table.sortable").forEach(function (table) {
    var body = table.tBodies[0];
    var order = Array.from(body.rows);
    var heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      head.addEventListener("click", function () {
        var was = head.getAttribute("aria-sort");
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        var sorted = order.slice();
        if (column > 0 && was !== "descending") {
          var sign = was === "ascending" ? -1 : 1;
          var value = function (row) {
            var number = Number(row.cells[column].dataset.medianNs);
            return Number.isFinite(number) ? number : Infinity;
          };
          // What was not measured stays at the end.
          sorted.sort(function (a, b) {
            var one = value(a), other = value(b);
            if (one === other) { return 0; }
            if (one === Infinity) { return 1; }
            if (other === Infinity) { return -1; }
            return sign * (one - other);
          });
          head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        }
        body.append.apply(body, sorted);
      });
    });
  });

  window.addEventListener("beforeprint", function () {
    all("details").forEach(function (one) { one.open = true; });
  });
})();
