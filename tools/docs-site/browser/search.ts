import { find, type Entry, type Found } from './search-engine.js';

const MAX_RESULTS = 12;
const WORDS =
  document.documentElement.lang === 'th'
    ? { title: 'ค้นหาในเอกสาร', none: 'ไม่พบผลลัพธ์', failed: 'โหลดดัชนีค้นหาไม่สำเร็จ ลองใหม่อีกครั้ง' }
    : {
        title: 'Search the documentation',
        none: 'Nothing found',
        failed: 'The index could not be loaded: try again',
      };

/** The button, `/` or Ctrl-K opens the search; arrows choose, Enter opens the page, Escape closes. */
export function setUpSearch(): void {
  const button = document.querySelector<HTMLElement>('[data-search]');
  if (!button) return;
  const search = new Search();
  button.hidden = false;
  button.addEventListener('click', () => search.open());
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isControlK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (!isSlash && !isControlK) return;
    event.preventDefault();
    search.open();
  });
}

class Search {
  private readonly dialog = document.createElement('dialog');
  private readonly input = document.createElement('input');
  private readonly list = document.createElement('ul');
  private readonly note = document.createElement('p');
  private entries: Promise<Entry[]> | undefined;
  private chosen = 0;

  constructor() {
    const { dialog, input, list, note } = this;
    dialog.className = 'finder';
    dialog.setAttribute('aria-label', WORDS.title);
    input.inputMode = 'search';
    input.placeholder = WORDS.title;
    input.autocomplete = 'off';
    input.spellcheck = false;
    const roles = {
      role: 'combobox',
      'aria-label': WORDS.title,
      'aria-controls': 'found',
      'aria-autocomplete': 'list',
    };
    for (const [name, value] of Object.entries(roles)) input.setAttribute(name, value);
    list.id = 'found';
    list.setAttribute('role', 'listbox');
    list.setAttribute('aria-label', WORDS.title);
    note.setAttribute('role', 'status');
    dialog.append(input, list, note);
    document.body.append(dialog);
    input.addEventListener('input', () => void this.show());
    input.addEventListener('keydown', (event) => this.key(event));
    // A click beside the box has the dialog itself as its target.
    dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
    this.draw([], '');
  }

  open(): void {
    if (!this.dialog.open) this.dialog.showModal();
    this.input.select();
    this.load().catch(() => undefined);
  }

  /** Loads the index once; after a failure the next call tries again. */
  private load(): Promise<Entry[]> {
    this.entries ??= fetchIndex().catch((error: unknown) => {
      this.entries = undefined;
      throw error;
    });
    return this.entries;
  }

  private async show(): Promise<void> {
    const { value } = this.input;
    try {
      const entries = await this.load();
      // The reader typed on while the index was loading.
      if (value !== this.input.value) return;
      const found = find(entries, value).slice(0, MAX_RESULTS);
      this.draw(found, value.trim() === '' || found.length > 0 ? '' : WORDS.none);
    } catch {
      this.draw([], WORDS.failed);
    }
  }

  private draw(found: readonly Found[], note: string): void {
    this.note.textContent = note;
    this.list.hidden = found.length === 0;
    this.list.replaceChildren(...found.map((each, index) => this.option(each, index)));
    this.input.setAttribute('aria-expanded', String(found.length > 0));
    this.choose(0);
  }

  private option({ entry: [address, page, heading], excerpt }: Found, index: number): HTMLElement {
    const option = document.createElement('li');
    option.id = `found-${index}`;
    option.setAttribute('role', 'option');
    option.dataset.address = address;
    const title = document.createElement('strong');
    title.textContent = heading === '' ? page : heading;
    const place = document.createElement('span');
    place.textContent = heading === '' ? '' : page;
    const text = document.createElement('p');
    for (const { words, isMatch } of excerpt) {
      const part = document.createElement(isMatch ? 'mark' : 'span');
      part.textContent = words;
      text.append(part);
    }
    option.append(title, place, text);
    option.addEventListener('click', () => this.go(option));
    option.addEventListener('pointermove', () => this.chosen !== index && this.choose(index));
    return option;
  }

  private choose(index: number): void {
    const options = [...this.list.children];
    this.chosen = Math.max(0, Math.min(index, options.length - 1));
    options.forEach((option, at) => option.setAttribute('aria-selected', String(at === this.chosen)));
    const option = options[this.chosen];
    option?.scrollIntoView({ block: 'nearest' });
    if (option) this.input.setAttribute('aria-activedescendant', option.id);
    else this.input.removeAttribute('aria-activedescendant');
  }

  private key(event: KeyboardEvent): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) this.choose(this.chosen + by);
    else if (event.key === 'Enter') this.go(this.list.children[this.chosen]);
    else return;
    event.preventDefault();
  }

  private go(option: Element | undefined): void {
    const address = option instanceof HTMLElement ? option.dataset.address : undefined;
    if (address === undefined) return;
    this.dialog.close();
    location.assign(address);
  }
}

async function fetchIndex(): Promise<Entry[]> {
  const address = document.querySelector<HTMLElement>('script[data-index]')?.dataset.index ?? '';
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the index was answered with ${response.status}`);
  return (await response.json()) as Entry[];
}
