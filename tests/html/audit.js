// What an accessibility audit asks of a page, for where axe-core is not at hand: a list of what is wrong.
(() => {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const say = (what, element) => wrong.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
  if (!document.documentElement.lang) wrong.push("no language");
  if (!document.title) wrong.push("no title");
  if (all("main").length !== 1) wrong.push("not one main landmark");
  if (all("body > header").length !== 1 || all("body > footer").length !== 1) wrong.push("no banner or no contentinfo");
  all("nav").forEach((nav) => nav.getAttribute("aria-label") || say("navigation without a name", nav));
  const landmarks = all("nav, section:not([role]), [role=region]").map((e) => e.getAttribute("aria-label")).filter(Boolean);
  landmarks.filter((name, index) => landmarks.indexOf(name) !== index).forEach((name) => wrong.push(`landmark twice: ${name}`));
  const ids = all("[id]").map((e) => e.id);
  ids.filter((id, index) => ids.indexOf(id) !== index).forEach((id) => wrong.push(`id twice: ${id}`));
  all("[aria-labelledby]").forEach((e) =>
    e.getAttribute("aria-labelledby").split(" ").forEach((id) => document.getElementById(id) || say("labelled by nothing", e)));
  if (!all("h1").length && !all("[role=heading]").length) wrong.push("no heading");
  all("table").forEach((table) => {
    if (!table.querySelector("th")) say("table without headers", table);
    table.querySelectorAll("th").forEach((th) => th.scope || say("header without scope", th));
  });
  all("svg").forEach((svg) => {
    if (svg.getAttribute("role") !== "img" || !svg.getAttribute("aria-label")) say("picture without words", svg);
  });
  all("input, select").forEach((e) => e.labels.length || e.getAttribute("aria-label") || say("field without a label", e));
  all("button, a[href], summary").forEach((e) => e.textContent.trim() || say("control without words", e));
  all("[aria-label]").forEach((e) => {
    const plain = ["DIV", "SPAN", "P"].includes(e.tagName) && !e.hasAttribute("role");
    if (plain) say("a name on what has no role", e);
  });
  all(".wide").forEach((e) => {
    if (e.scrollWidth > e.clientWidth + 1 && e.tabIndex < 0 && !e.querySelector("a, button")) say("scrolls, and no key reaches it", e);
  });

  // Contrast of text against what is behind it: 4.5 to 1, large text 3 to 1.
  const channel = (v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const colour = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const over = (top, under) => {
    const alpha = top.length > 3 ? top[3] : 1;
    return [0, 1, 2].map((i) => top[i] * alpha + under[i] * (1 - alpha));
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(colour(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, top) => (top.length ? over(top, under) : under), [255, 255, 255]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("svg, script, style, noscript") || !element.checkVisibility()) continue;
    if (element.closest("button:disabled, option")) continue;
    const style = getComputedStyle(element);
    const under = behind(element);
    const [a, b] = [light(over(colour(style.color), under)), light(under)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)}`, element);
  }

  // The same of words in pictures, against the shape that lies under their middle. What is faded is faded as a whole,
  // words and shape, and shows what is behind the picture.
  const solid = (element) => {
    const own = colour(getComputedStyle(element).fill === "none" ? "rgba(0, 0, 0, 0)" : getComputedStyle(element).fill);
    let alpha = own.length > 3 ? own[3] : 1;
    for (let at = element; at.tagName !== "svg"; at = at.parentElement) alpha *= Number(getComputedStyle(at).opacity);
    return [...own.slice(0, 3), alpha];
  };
  const covers = (shape, x, y) =>
    shape.isPointInFill(new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse()));
  all("svg").filter((svg) => svg.checkVisibility()).forEach((svg) => {
    const shapes = [];
    svg.querySelectorAll("rect, path, circle, text").forEach((element) => {
      if (element.tagName !== "text") {
        shapes.push(element);
        return;
      }
      const box = element.getBoundingClientRect();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const under = shapes.filter((shape) => covers(shape, x, y)).reduce((below, shape) => over(solid(shape), below), behind(svg));
      const [a, b] = [light(over(solid(element), behind(svg))), light(under)];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) say(`contrast in a picture ${ratio.toFixed(2)}`, element);
    });
  });
  return [...new Set(wrong)];
})();
