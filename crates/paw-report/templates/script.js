(() => {
  const root = document.documentElement;
  root.classList.add("js");

  // Colours: as the system has them, light, dark.
  const button = document.getElementById("theme");
  const themes = ["auto", "light", "dark"];
  const kept = () => { try { return localStorage.getItem("paw-theme") || "auto"; } catch { return "auto"; } };
  const show = (theme) => {
    if (theme === "auto") root.removeAttribute("data-theme"); else root.setAttribute("data-theme", theme);
    button.textContent = "◐ " + theme;
    button.setAttribute("aria-label", "Colours: " + (theme === "auto" ? "as the system has them" : theme));
  };
  let theme = themes.includes(kept()) ? kept() : "auto";
  button.hidden = false;
  show(theme);
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try { localStorage.setItem("paw-theme", theme); } catch { /* a file opened from disk may not keep anything */ }
    show(theme);
  });

  // A row's samples open beneath it.
  const toggle = (opener, open) => {
    const more = document.getElementById(opener.getAttribute("aria-controls"));
    if (!more) return;
    more.classList.toggle("open", open);
    opener.setAttribute("aria-expanded", String(more.classList.contains("open")));
  };
  document.addEventListener("click", (event) => {
    const opener = event.target.closest(".raw button");
    if (opener) toggle(opener);
  });

  // A point or a number of a ladder leads to its row, wherever that is folded away.
  const reach = () => {
    const row = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!row || !row.classList.contains("cell")) return;
    const fold = row.closest("details");
    if (fold) fold.open = true;
    const opener = row.querySelector(".raw button");
    if (opener) { toggle(opener, true); opener.focus({ preventScroll: true }); }
    row.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", reach);
  reach();

  // The sample nearest to the pointer, or the one the arrow keys stand on, is read out beneath its strip.
  const strips = new WeakMap();
  const strip = (svg) => {
    if (!strips.has(svg)) {
      const read = (name, pattern) => [...(svg.querySelector(name)?.getAttribute("d") || "").matchAll(pattern)]
        .map((m) => ({ x: +m[1], y: +m[2], disturbed: name === ".off" }));
      const all = [...read(".dots", /M([-\d.]+) ([-\d.]+)h/g), ...read(".off", /M([-\d.]+) ([-\d.]+)m/g)];
      all.sort((a, b) => a.x - b.x);
      const cursor = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      cursor.setAttribute("class", "cursor");
      cursor.setAttribute("r", "5");
      strips.set(svg, { all, cursor, at: 0, scales: svg.dataset.scales.split(" ").map(Number) });
    }
    return strips.get(svg);
  };
  const tell = (svg, i) => {
    const data = strip(svg);
    const sample = data.all[i];
    if (!sample) return;
    data.at = i;
    const [x0, x1, y0, y1, left, right, top, bottom] = data.scales;
    const value = y0 + (bottom - sample.y) / (bottom - top) * (y1 - y0);
    const at = x0 + (sample.x - left) / (right - left) * (x1 - x0);
    data.cursor.setAttribute("cx", sample.x);
    data.cursor.setAttribute("cy", sample.y);
    svg.append(data.cursor);
    const edge = sample.y <= top || sample.y >= bottom ? " or beyond" : "";
    svg.parentNode.querySelector("output").textContent =
      `sample ${i + 1} of ${data.all.length}, ${at.toPrecision(4)} s: ${value.toPrecision(4)} ${svg.dataset.unit}${edge}${sample.disturbed ? ", disturbed" : ""}`;
  };
  document.addEventListener("pointermove", (event) => {
    const svg = event.target.closest?.(".strip");
    if (!svg) return;
    const box = svg.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
    const { all } = strip(svg);
    let best = 0;
    all.forEach((s, i) => { if (Math.abs(s.x - x) < Math.abs(all[best].x - x)) best = i; });
    tell(svg, best);
  });
  document.addEventListener("focusin", (event) => { if (event.target.matches?.(".strip")) tell(event.target, strip(event.target).at); });
  document.addEventListener("keydown", (event) => {
    const svg = event.target.closest?.(".strip");
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!svg || !step) return;
    const data = strip(svg);
    tell(svg, Math.min(Math.max(data.at + step, 0), data.all.length - 1));
    event.preventDefault();
  });

  // On paper nothing stays folded.
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.dataset.was = d.open; d.open = true; }));
  addEventListener("afterprint", () => document.querySelectorAll("details").forEach((d) => { d.open = d.dataset.was === "true"; }));
})();
