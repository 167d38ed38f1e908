"use strict";
// What a reader does with a report: filter clauses, page and sort faults, step through a round. It shows data as text
// and never as markup; the only markup it takes is pieces of pages that the report's own templates rendered, packed.
// It knows columns and steps, and nothing of what is played.
const gazette = (() => {
  const single = document.body.dataset.single === "yes";
  const up = document.body.dataset.up;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector, within = document) => within.querySelector(selector);
  const count = (number) => number.toLocaleString("en");

  const make = (tag, style, text) => {
    const element = document.createElement(tag);
    if (style) element.className = style;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const link = (href, text) => {
    const element = make("a", "", text);
    element.href = href;
    return element;
  };
  const anchor = (name) =>
    [...name].map((c) => (/[A-Za-z0-9.-]/.test(c) ? c : `_${c.codePointAt(0).toString(16)}_`)).join("");
  const fragment = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return ""; // not of our making
    }
  };
  const clause = (name, text) => link(`${single ? "" : `${up}clauses.html`}#c-${anchor(name)}`, text);

  // ------------------------------------------------------------------------------------------------ clauses
  const filterClauses = (form) => {
    const articles = all("article.clause");
    const words = articles.map((a) => all(":scope > :is(.own, .tail)", a).map((e) => e.textContent).join(" ").toLowerCase());
    const apply = () => {
      const text = form.elements.text.value.trim().toLowerCase();
      const wanted = new Set(all("input[name=status]:checked", form).map((box) => box.value));
      const every = all("input[name=status]", form).every((box) => box.checked);
      const shown = new Set();
      let found = 0;
      articles.forEach((article, index) => {
        const status = article.dataset.status;
        if ((every || (status && wanted.has(status))) && words[index].includes(text)) {
          if (status) found += 1;
          for (let at = article; at && at.matches("article.clause"); at = at.parentElement) shown.add(at);
        }
      });
      articles.forEach((article) => (article.hidden = !shown.has(article)));
      one(".found", form).textContent = every && !text ? "" : `${count(found)} found`;
    };
    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    const reveal = () => {
      const id = fragment();
      if (id === "never-exercised") {
        all("input[name=status]", form).forEach((box) => (box.checked = box.value === "never exercised"));
        apply();
      } else if (document.getElementById(id)?.closest("article.clause[hidden]")) {
        form.reset();
        apply();
        document.getElementById(id).scrollIntoView();
      }
    };
    addEventListener("hashchange", reveal);
    reveal();
  };

  // ------------------------------------------------------------------------------------------------- faults
  const pages = new Map();
  const linked = new Map();
  const files = new Map();
  const waiting = new Map();
  let indexed = null;
  let indexWaiting = null;
  const fetched = (name) =>
    new Promise((resolve, reject) => {
      const script = make("script");
      script.src = `data/${name}.js`;
      script.onload = () => {
        script.remove();
        resolve();
      };
      script.onerror = () => reject(new Error(`data/${name}.js cannot be read: keep the folder together`));
      document.head.append(script);
    });
  const padded = (number) => String(number).padStart(4, "0");
  const load = (name) => {
    if (!waiting.has(name)) waiting.set(name, fetched(name));
    return waiting.get(name);
  };
  const loadPage = async (number, drawn) => {
    const missing = [];
    if (!pages.has(number)) missing.push(load(`faults-${padded(number)}`));
    if (drawn && !linked.has(number)) missing.push(load(`links-${padded(number)}`));
    await Promise.all(missing);
  };
  const loadIndex = async () => {
    if (!indexed) {
      indexWaiting ??= fetched("index");
      await indexWaiting;
    }
    return indexed;
  };

  const list = (section) => {
    const target = one(".list", section);
    const total = Number(target.dataset.total);
    const here = single ? Number(target.dataset.here) : total;
    const size = Number(target.dataset.page);
    const SHOWN = 50;
    const form = one("form[data-filter=faults]", section);
    const pager = one(".pager", section);
    const [own, drawn] = [Number(target.dataset.own), Number(target.dataset.drawn) > 0 && !single];
    linked.set(1, JSON.parse(one("script.links", section).textContent));
    all("script.rows", section).forEach((s) => pages.set(Number(s.dataset.number), JSON.parse(s.textContent)));
    const inside = one("script.index", section);
    if (inside) indexed = JSON.parse(inside.textContent);
    const by = ["kind", "clause", "table", "actor", "day"];
    let order = null; // the faults shown, by their place in the log; null for all of them as logged
    let page = 0;
    let asked = 0;

    // The faults in whose texts all the words stand. Pages of data that only the search needed are let go again.
    let searched = { text: "", found: null };
    const texts = (value) =>
      value && typeof value === "object" ? Object.values(value).map(texts).join(" ") : String(value);
    const search = async (text, ticket) => {
      if (searched.text === text) return searched.found;
      const words = text.split(/\s+/);
      const found = new Set();
      const many = Math.ceil(here / size);
      for (let number = 1; number <= many; number += 1) {
        const held = pages.has(number);
        if (!held) {
          one(".found", form).textContent = `searching: ${count((number - 1) * size)} of ${count(here)}`;
          await loadPage(number, false);
          if (ticket !== asked) return null;
        }
        pages.get(number).forEach((fault, place) => {
          const own = texts(fault).toLowerCase();
          if (words.every((word) => own.includes(word))) found.add((number - 1) * size + place);
        });
        if (!held) {
          pages.delete(number);
          waiting.delete(`faults-${padded(number)}`);
        }
      }
      searched = { text, found };
      return found;
    };

    const names = (name) => (name === "kind" ? indexed.kinds : indexed.names[name]);
    const value = (name, fault) => {
      const found = indexed.columns[name][fault];
      return name === "clause" ? found[0] : found;
    };
    const has = (name, fault, wanted) =>
      name === "clause" ? indexed.columns.clause[fault].includes(wanted) : indexed.columns[name][fault] === wanted;

    const rules = (items, into) => {
      items.forEach((item) => {
        const line = make("p");
        line.append(clause(item.clause, item.rule), " ");
        line.append(make("q", "law", item.quote));
        (item.answers ?? []).forEach((text) => line.append(" ", make("span", "dim", text)));
        into.append(line);
      });
    };
    const pair = (dl, name, values) => {
      values.forEach((text, index) => {
        dl.append(make("dt", "", index ? "" : name), make("dd", "", text));
      });
    };
    const detail = (fault) => {
      const box = make("div", "detail");
      fault.findings.forEach((finding, index) => {
        if (index && finding.what) box.append(make("p", "", `also: ${finding.what}`));
        rules(finding.rules ?? [], box);
        const dl = make("dl");
        const equal = ([name, text]) => `${name} = ${text}`;
        pair(dl, "required", finding.required ?? []);
        pair(dl, "by the rules", (finding.decided ?? []).map(equal));
        pair(dl, "rests on", finding.rests ? [finding.rests.map(equal).join(", ")] : []);
        pair(dl, "because", finding.causes ?? []);
        pair(dl, "gives way", finding.gives ?? []);
        pair(dl, "note", finding.note ? [finding.note] : []);
        if (dl.children.length) box.append(dl);
      });
      return box;
    };
    const row = (fault) => {
      const item = make("li", ["broken", "impossible"].includes(fault.verdict) ? "" : "doubtful");
      item.id = `fault-${fault.n}`;
      const head = make("div", "head");
      head.append(make("span", "num", String(fault.n)), make("span", "what", fault.what));
      const cited = make("span", "cl");
      const at = new Map(fault.findings.flatMap((f) => f.rules ?? []).map((r) => [r.rule, r.clause]));
      fault.clauses.forEach((rule, index) => {
        if (index) cited.append(", ");
        cited.append(clause(at.get(rule), rule));
      });
      head.append(cited, make("span", "dim", fault.where));
      item.append(head);
      if (fault.event) item.append(make("p", "event", fault.event));
      fault.short.forEach((text) => item.append(make("p", "short", text)));
      item.append(make("p", "dim", fault.file + (fault.at ? `, ${fault.at}` : "")));
      const line = make("p");
      const round = linked.get(single ? 1 : Math.ceil(fault.n / size))?.[fault.n];
      if (round) {
        const place = `round-${round[0]}-step-${round[1]}`;
        const file = single ? "" : round[0] <= own ? `rounds/${padded(round[0])}.html` : "round.html";
        const href = `${file}#${place}`;
        const played = link(href, "The round as it was played");
        played.setAttribute("aria-label", `The round as it was played, fault ${fault.n}`);
        line.append(played, " ");
      }
      const more = make("details");
      more.append(make("summary", "", "What was required, and why"), detail(fault));
      item.append(line, more);
      return item;
    };

    const show = async (focus) => {
      const ticket = (asked += 1);
      const length = order ? order.length : here;
      const last = Math.max(0, Math.ceil(length / SHOWN) - 1);
      page = Math.min(Math.max(page, 0), last);
      const wanted = [];
      for (let n = page * SHOWN; n < Math.min(length, (page + 1) * SHOWN); n += 1) wanted.push(order ? order[n] : n);
      try {
        await Promise.all([...new Set(wanted.map((n) => Math.floor(n / size) + 1))].map((number) => loadPage(number, drawn)));
      } catch (error) {
        one(".found", form).textContent = error.message;
        return;
      }
      if (ticket !== asked) return;
      target.replaceChildren(...wanted.map((n) => row(pages.get(Math.floor(n / size) + 1)[n % size])));
      one(".found", form).textContent = order ? `${count(length)} of ${count(here)}` : "";
      pager.hidden = length <= SHOWN;
      one(".at", pager).textContent = `page ${count(page + 1)} of ${count(last + 1)}`;
      ["first", "back"].forEach((name) => (one(`[name=${name}]`, pager).disabled = page === 0));
      ["next", "last"].forEach((name) => (one(`[name=${name}]`, pager).disabled = page === last));
      const reached = focus && document.getElementById(focus);
      if (reached) {
        one("details", reached).open = true;
        reached.scrollIntoView();
      }
    };

    const sorted = (faults, name) => {
      if (name === "log") return faults;
      if (name === "money") return faults.sort((a, b) => indexed.money[b] - indexed.money[a] || a - b);
      const rank = new Map(
        names(name).map((text, number) => [text, number]).sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }))
          .map(([, number], place) => [number, place]),
      );
      return faults.sort((a, b) => rank.get(value(name, a)) - rank.get(value(name, b)) || a - b);
    };
    const choose = async () => {
      const filters = by.map((name) => [name, form.elements[name].value]).filter(([, wanted]) => wanted !== "");
      const way = form.elements.order.value;
      const text = form.elements.text.value.trim().toLowerCase();
      const ticket = (asked += 1);
      page = 0;
      if (!filters.length && way === "log" && !text) {
        order = null;
      } else {
        let within = null;
        try {
          await loadIndex();
          if (text) {
            within = await search(text, ticket);
            if (!within) return;
          }
        } catch (error) {
          one(".found", form).textContent = error.message;
          return;
        }
        const found = [];
        for (let n = 0; n < here; n += 1) {
          if (within && !within.has(n)) continue;
          if (filters.every(([name, wanted]) => has(name, n, Number(wanted)))) found.push(n);
        }
        order = sorted(found, way);
      }
      await show();
    };
    let filled = false;
    const fill = async () => {
      if (filled) return;
      filled = true;
      try {
        await loadIndex();
      } catch (error) {
        one(".found", form).textContent = error.message;
        return;
      }
      by.forEach((name) => {
        const select = form.elements[name];
        const items = names(name).map((text, number) => [text, number]);
        items.sort((a, b) => a[0].localeCompare(b[0], "en", { numeric: true }));
        items.forEach(([text, number]) => {
          const option = make("option", "", text);
          option.value = String(number);
          select.append(option);
        });
      });
    };

    form.hidden = false;
    form.addEventListener("change", choose);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      choose();
    });
    form.elements.text.addEventListener("input", (event) => {
      if (!event.target.value || here <= 10 * size) choose();
    });
    all("button.link", section).forEach((button) =>
      button.addEventListener("click", async () => {
        await fill();
        form.elements[button.dataset.by].value = button.dataset.value;
        await choose();
        form.scrollIntoView();
      }),
    );
    const step = { first: () => 0, back: () => page - 1, next: () => page + 1, last: () => Infinity };
    all("button", pager).forEach((button) =>
      button.addEventListener("click", async () => {
        page = step[button.name]();
        await show();
        form.scrollIntoView();
      }),
    );
    const follow = async () => {
      const hash = fragment();
      if (/^fault-\d+$/.test(hash)) {
        const number = Number(hash.slice(6)) - 1;
        if (number >= here) return;
        form.reset();
        order = null;
        page = Math.floor(number / SHOWN);
        await show(hash);
      } else if (hash.startsWith("clause=")) {
        await fill();
        const number = indexed.names.clause.indexOf(hash.slice(7));
        if (number >= 0) form.elements.clause.value = String(number);
        await choose();
        form.scrollIntoView();
      }
    };
    addEventListener("hashchange", follow);
    show().then(follow);
    if (indexed) fill();
    else ["focusin", "pointerenter"].forEach((name) => form.addEventListener(name, fill, { once: true }));
  };

  // ------------------------------------------------------------------------------------------------- rounds
  const replay = (section) => {
    const steps = all("article.step", section);
    if (!steps.length) return;
    const controls = one(".replay", section);
    const range = one("[name=at]", controls);
    const show = (number, move) => {
      const at = Math.min(Math.max(number, 1), steps.length);
      steps.forEach((step, index) => step.classList.toggle("here", index + 1 === at));
      range.value = String(at);
      range.setAttribute("aria-valuetext", one(".title", steps[at - 1]).textContent);
      one(".at", controls).textContent = `event ${at} of ${steps.length}`;
      ["first", "back"].forEach((name) => (one(`[name=${name}]`, controls).disabled = at === 1));
      ["next", "last"].forEach((name) => (one(`[name=${name}]`, controls).disabled = at === steps.length));
      if (move) history.replaceState(null, "", `#${steps[at - 1].id}`);
    };
    const now = () => Number(range.value);
    const go = { first: () => 1, back: () => now() - 1, next: () => now() + 1, last: () => steps.length };
    all("button", controls).forEach((button) => button.addEventListener("click", () => show(go[button.name](), true)));
    range.addEventListener("input", () => show(now(), true));
    const follow = () => {
      const found = steps.findIndex((step) => step.id === location.hash.slice(1));
      if (found >= 0) show(found + 1);
      return found >= 0;
    };
    addEventListener("hashchange", follow);
    document.addEventListener("keydown", (event) => {
      const on = event.target;
      if (!section.isConnected || (all("section.round").length > 1 && !section.contains(on))) return;
      if (on.closest("input, select, .wide") || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "ArrowRight") show(now() + 1, true);
      if (event.key === "ArrowLeft") show(now() - 1, true);
    });
    section.classList.add("stepping");
    controls.hidden = false;
    if (!follow()) show(Number(section.dataset.first));
  };

  // ----------------------------------------------------------------------------------------- packed pieces
  const unpacked = async (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new DOMParser().parseFromString(await new Response(stream).text(), "text/html").body.children;
  };
  const opened = async (text, into) => {
    into.replaceChildren(...(await unpacked(text)));
    all("section.round", into).forEach(replay);
    reach();
  };

  // The place where the rounds are opened that are packed.
  const viewer = (place) => {
    const own = Number(place.dataset.own);
    const drawn = Number(place.dataset.drawn);
    const size = Number(place.dataset.file);
    const held = one("script.pieces", place);
    const box = one("section", place)?.parentElement === place ? one("section", place) : make("div");
    const target = make("div");
    if (box.parentElement) box.replaceWith(target);
    else place.append(target);
    target.append(box);
    const status = one(".found", place);
    const plain = document.title;
    const pieces = held ? JSON.parse(held.textContent) : null;
    let at = 0;
    const piece = async (number) => {
      if (pieces) return pieces[number - own - 1];
      const file = Math.ceil((number - own) / size);
      if (!files.has(file)) await load(`rounds-${padded(file)}`);
      return files.get(file)[(number - own - 1) % size];
    };
    const follow = async () => {
      const hash = fragment();
      const found = /^round-(\d+)(-step-\d+)?$/.exec(hash);
      const number = found ? Number(found[1]) : 0;
      if (!found || number === at || number <= own) return;
      if (number > drawn) {
        status.textContent = single ? "That round is not in this file." : "There is no such round.";
        return;
      }
      at = number;
      try {
        status.textContent = `round ${count(number)} of ${count(drawn)} is being read`;
        const text = await piece(number);
        if (at !== number) return;
        await opened(text, target);
        status.textContent = "";
        if (!single) document.title = `${plain}: ${one("h1", target).textContent}`;
        (document.getElementById(hash) ?? target).scrollIntoView();
        if (!single) scrollTo(0, 0);
      } catch (error) {
        at = 0;
        status.textContent = error.message;
      }
    };
    addEventListener("hashchange", follow);
    return follow();
  };

  // A piece that is opened where it is closed away.
  const closed = (details) =>
    details.addEventListener("toggle", async () => {
      const held = one("script.piece", details);
      if (!details.open || !held) return;
      const text = JSON.parse(held.textContent);
      held.remove();
      const box = make("div");
      details.append(box);
      await opened(text, box);
    });

  // What can be scrolled must be reached by keys.
  const reach = () =>
    all(".wide").forEach((element) => {
      if (element.hasAttribute("tabindex") || element.scrollWidth <= element.clientWidth + 1) return;
      element.tabIndex = 0;
      element.setAttribute("role", "group");
      element.setAttribute("aria-label", one("caption, th", element)?.textContent ?? "table");
    });

  // What the fields of a form ask for, where that is not all there is.
  const asks = (form) => {
    const named = (field) => field.labels[0].firstChild.textContent.trim();
    const boxes = all("input[type=checkbox]", form);
    const wanted = boxes.filter((box) => box.checked).map((box) => box.labels[0].innerText.replace(/\s+/g, " ").trim());
    return [
      ...all("input[type=search]", form).filter((f) => f.value.trim()).map((f) => `${named(f)}: ${f.value.trim()}`),
      ...(wanted.length < boxes.length ? [`${one("legend", form).textContent}: ${wanted.join(", ") || "none"}`] : []),
      ...all("select", form).filter((f) => f.selectedIndex > 0).map((f) => `${named(f)}: ${f.selectedOptions[0].textContent}`),
    ].join("; ");
  };

  // On paper stands why faults are faults, though it is folded away on the screen, and what fields left out.
  const onPaper = () => {
    let unfolded = [];
    let said = [];
    addEventListener("beforeprint", () => {
      unfolded = all(".list details:not([open])");
      unfolded.forEach((details) => (details.open = true));
      said = all("form.filters").flatMap((form) => {
        const found = asks(form);
        if (!found) return [];
        const note = make("p", "note", `Only part is shown here, or in another order. ${found}. ${one(".found", form).textContent}`);
        form.after(note);
        return [note];
      });
    });
    addEventListener("afterprint", () => {
      unfolded.forEach((details) => (details.open = false));
      said.forEach((note) => note.remove());
    });
  };

  const start = () => {
    onPaper();
    all("form[data-filter=clauses]").forEach(filterClauses);
    all("section#faults").filter((section) => one(".list", section)).forEach(list);
    all("section.round").forEach(replay);
    all("#played").forEach(viewer);
    all("details.piece").forEach(closed);
    if (location.hash && single) document.getElementById(fragment())?.scrollIntoView();
    reach();
    addEventListener("resize", reach);
    document.documentElement.dataset.ready = "yes";
  };
  addEventListener("DOMContentLoaded", start);
  return {
    page: (number, rows) => pages.set(number, rows),
    links: (number, found) => linked.set(number, found),
    rounds: (number, pieces) => files.set(number, pieces),
    index: (data) => {
      indexed = data;
    },
  };
})();
