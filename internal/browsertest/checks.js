// Finds faults of a page as the browser draws it. Each function returns a list of texts.
({
  // Elements that reach over the right edge of the page.
  wide() {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const over = [...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth + 1);
    return ['the page is ' + document.documentElement.scrollWidth + ' px wide', ...over.map(e => e.outerHTML.slice(0, 120))].slice(0, 8);
  },

  // Texts under other elements, in the first screens of the page. What sticks to the window may lie
  // over a text that scrolls below it.
  covered() {
    const out = [], stuck = e => e && (/sticky|fixed/.test(getComputedStyle(e).position) || stuck(e.parentElement));
    const seen = (e, x, y) => {
      for (; e; e = e.parentElement) {
        const r = e.getBoundingClientRect(), style = getComputedStyle(e);
        if (style.clipPath !== 'none' || style.clip !== 'auto') return false;
        if (style.overflow !== 'visible' && (x < r.left || x > r.right || y < r.top || y > r.bottom)) return false;
      }
      return true;
    };
    for (let top = 0; top < Math.min(document.documentElement.scrollHeight, 8 * innerHeight); top += innerHeight) {
      scrollTo(0, top);
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let n; n = walk.nextNode();) {
        const e = n.parentElement, range = document.createRange();
        range.selectNodeContents(n);
        const r = n.data.trim() && range.getClientRects()[0];
        if (!r || !e.checkVisibility({visibilityProperty: true}) || r.width < 2 || r.bottom < 0 || r.top > innerHeight || e.closest('svg, option, textarea')) continue;
        const x = r.left + r.width / 2, y = r.top + r.height / 2, hit = document.elementFromPoint(x, y);
        if (hit && !e.contains(hit) && !hit.contains(e) && !stuck(hit) && seen(e, x, y)) out.push(`${this.tell(hit)} covers ${n.data.trim().slice(0, 60)}`);
      }
    }
    scrollTo(0, 0);
    return out.slice(0, 8);
  },
  moving: () => document.getAnimations().map(a => 'it moves: ' + a.effect.target.outerHTML.slice(0, 120)),

  // Where the page leads, and its forms with their kind: where they are sent, and their fields. Other
  // identifiers and values are of the same kind.
  leads() {
    const kind = to => to.pathname.split('/').map(part => /^[a-z-]*$/.test(part) ? part : '*').join('/') + '?' + [...new Set(to.searchParams.keys())].sort();
    const links = [...document.querySelectorAll('a[href]')].map(a => URL.parse(a.href)).filter(to => to?.origin === location.origin);
    return {
      Links: links.map(to => ({Kind: kind(to), To: to.pathname + to.search})),
      Forms: [...document.forms].map(f => f.method + ' ' + kind(URL.parse(f.action)) + ' ' + [...new Set([...f.elements].map(e => e.name))]),
    };
  },
  // Writes a text into the empty fields of a form, and sends it.
  send(form, text) {
    const f = document.forms[form], file = new DataTransfer();
    file.items.add(new File([text], text.slice(0, 80) + '.md'));
    for (const e of f.elements) {
      if (/^(textarea|text|search)$/.test(e.type) && !e.value) e.value = text;
      if (e.type === 'file') e.files = file.files;
    }
    f.noValidate = true;
    f.requestSubmit(f.querySelector('button'));
  },

  // Texts whose contrast is below level AA. The background of a text in a drawing
  // is the last shape before it that lies under it.
  faint() {
    const parse = c => {
      const m = (c.match(/[\d.]+(e-\d+)?/g) || [0, 0, 0, 0]).map(Number);
      const rgb = m.slice(0, 3).map(v => c.startsWith('color(') ? v * 255 : v);
      return [...rgb, m.length > 3 ? m[3] : 1];
    };
    const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
    const luminance = c => {
      const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 });
      return .2126 * r + .7152 * g + .0722 * b;
    };
    const below = e => {
      const layers = [];
      for (; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
      return layers.reduceRight((under, c) => over(c, under), [255, 255, 255, 1]);
    };
    const drawn = (text, svg) => {
      const r = text.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2;
      let under = below(svg);
      for (const s of svg.querySelectorAll('rect, circle, ellipse, polygon, path')) {
        const style = getComputedStyle(s), b = s.getBoundingClientRect();
        if (!(s.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING) || !s.checkVisibility() || s.closest('defs, marker') || !/^(rgb|color)/.test(style.fill)) continue;
        if (b.left <= x && x <= b.right && b.top <= y && y <= b.bottom) {
          const c = parse(style.fill);
          under = over([c[0], c[1], c[2], c[3] * style.fillOpacity * style.opacity], under);
        }
      }
      return under;
    };
    const out = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let seen = 0;
    for (let n; n = walk.nextNode();) {
      const e = n.parentElement, style = getComputedStyle(e), svg = e.closest('svg');
      if (!n.data.trim() || !e.getClientRects().length || e.closest('title, desc, style, script, noscript, :disabled')) continue;
      seen++;
      const under = svg ? drawn(e, svg) : below(e), ink = parse(svg ? style.fill : style.color);
      for (let up = e; up; up = up.parentElement) ink[3] *= getComputedStyle(up).opacity;
      const x = luminance(over(ink, under)), y = luminance(under);
      const ratio = (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
      if (ratio < 4.5) out.add('contrast ' + ratio.toFixed(2) + ': ' + n.data.trim().slice(0, 60));
    }
    return seen < 5 ? ['the page shows only ' + seen + ' texts'] : [...out].slice(0, 8);
  },

  // The elements that a keyboard can use, in the order of reading, with their look without the focus.
  usable() {
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter(e =>
      e.tabIndex >= 0 && !e.disabled && e.type !== 'hidden' && e.checkVisibility({visibilityProperty: true}) &&
      (e.type !== 'radio' || e === this.stop(e)));
    globalThis.assayUsable = all.map(e => ({e, plain: this.look(e)}));
    return all.filter(e => e.tabIndex > 0 || getComputedStyle(e).order !== '0').map(e => 'not where it is read: ' + this.tell(e));
  },
  // The radio button of a group that Tab reaches: the chosen one, or else the first.
  stop(e) {
    const of = `input[type=radio][name="${CSS.escape(e.name)}"]`, form = e.form || document;
    return form.querySelector(of + ':checked') || form.querySelector(of);
  },
  look: e => [e, ...[...e.querySelectorAll('*')].slice(0, 5)].map(x => {
    const s = getComputedStyle(x);
    return [s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2, s.boxShadow, s.borderColor, s.borderWidth, s.backgroundColor, s.stroke, s.strokeWidth].join();
  }).join(';'),
  tell: e => e.outerHTML.replace(/\s+/g, ' ').slice(0, 120),

  // Faults after a number of presses of Tab.
  focused(presses) {
    const e = document.activeElement, want = globalThis.assayUsable[presses - 1], out = [];
    if (e !== want.e) out.push(`Tab ${presses} reaches ${this.tell(e)}, not ${this.tell(want.e)}`);
    else if (this.look(e) === want.plain) out.push('nothing shows the focus on ' + this.tell(e));
    const r = e.getClientRects()[0] || {left: 0, top: 0, right: 0, bottom: 0};
    const left = Math.max(r.left, 0), right = Math.min(r.right, innerWidth), top = Math.max(r.top, 0), bottom = Math.min(r.bottom, innerHeight);
    const hit = left < right && top < bottom && document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!hit) out.push('outside of the window: ' + this.tell(e));
    else if (!e.contains(hit) && !hit.contains(e) && !(e.ownerSVGElement && e.ownerSVGElement === hit.ownerSVGElement)) out.push(`${this.tell(hit)} lies over ${this.tell(e)}`);
    return out;
  },

  // What texts have done that ran.
  ran() {
    if (location.protocol === 'chrome-error:') return ['the page is left'];
    const out = [];
    if ('ran' in globalThis) out.push('the variable ran is ' + globalThis.ran);
    if (/\bran=/.test(Document.prototype.__lookupGetter__('cookie').call(document))) out.push('a cookie');
    if ([...document.all].some(e => getComputedStyle(e).getPropertyValue('--ran'))) out.push('the property --ran');
    for (const name of ['cookie', 'getElementById', 'querySelector', 'forms', 'title']) {
      if (document[name] instanceof Element) out.push('another document.' + name);
    }
    if (document.body.tagName !== 'BODY') out.push('another document.body');
    return out;
  },

  // Elements, attributes and addresses that could run something: our pages have none.
  armed() {
    const out = [], own = [location.protocol, location.host].join();
    const odd = 'iframe, frame, object, embed, base, plaintext, marquee, template, math, meta[http-equiv=refresh], script:not([src])';
    const ids = new Set();
    for (const e of document.all) {
      if (e.id && ids.has(e.id)) out.push('a second element with the name: ' + this.tell(e));
      ids.add(e.id);
      if (e.matches('mark') && e.textContent === 'forged') out.push('a mark: ' + this.tell(e));
      if (e.matches(odd)) out.push('an element: ' + this.tell(e));
      for (const a of e.attributes) {
        if (a.name.startsWith('on') || a.name === 'style') out.push('an attribute: ' + this.tell(e));
        if (!['href', 'src', 'action', 'formaction', 'xlink:href', 'data', 'poster', 'srcset', 'ping', 'background'].includes(a.name)) continue;
        const to = URL.parse(a.value, location.href);
        if (!to || to.protocol !== 'data:' && [to.protocol, to.host].join() !== own || to.protocol === 'data:' && !/^(img|link)$/i.test(e.tagName)) out.push('an address: ' + this.tell(e));
      }
    }
    return out.slice(0, 8);
  },

  // Texts that change the direction of the texts next to them: marks of direction, Hebrew, Arabic. Fields, options and the texts
  // of a drawing stand alone.
  turning() {
    const out = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let n; n = walk.nextNode();) {
      if (/[\u202a-\u202e\u2066-\u2069\u0590-\u08ff]/.test(n.data) && !n.parentElement.closest('[dir=auto], bdi, textarea, option, text, title, desc, style, script')) out.push('not isolated: ' + this.tell(n.parentElement));
    }
    return out.slice(0, 8);
  },

  // The words that a reader sees, with everything open.
  words() { return document.body.innerText.split(/\s+/).filter(Boolean).join(' ') },
  unfold() { document.querySelectorAll('details').forEach(d => d.open = true) },
})
