import { keep, kept } from './kept.js';

const CHOICE = 'language';
let groups = 0;

/** Shows one language at a time. A choice holds for all groups, on this page and on others. */
export function makeTabs(): void {
  for (const group of document.querySelectorAll<HTMLElement>('.tabs')) makeGroup(group);
  const choice = kept(CHOICE);
  if (choice !== null) choose(choice);
}

function makeGroup(group: HTMLElement): void {
  const number = ++groups;
  const list = document.createElement('div');
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', document.documentElement.lang === 'th' ? 'ภาษา' : 'Language');
  [...group.querySelectorAll<HTMLElement>(':scope > div')].forEach((panel, index) => {
    const title = panel.querySelector('figcaption')?.textContent ?? '';
    panel.id = `tab-${number}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.dataset.title = title;
    list.append(tabFor(panel, title, index === 0));
    panel.hidden = index !== 0;
  });
  list.addEventListener('keydown', (event) => step(list, event));
  group.prepend(list);
  group.classList.add('ready');
}

function tabFor(panel: HTMLElement, title: string, isShown: boolean): HTMLElement {
  const tab = document.createElement('button');
  tab.type = 'button';
  tab.id = `${panel.id}-tab`;
  tab.textContent = title;
  tab.setAttribute('role', 'tab');
  tab.setAttribute('aria-controls', panel.id);
  select(tab, isShown);
  panel.setAttribute('aria-labelledby', tab.id);
  tab.addEventListener('click', () => {
    const before = tab.getBoundingClientRect().top;
    choose(title);
    keep(CHOICE, title);
    // Groups above may have changed their height: keep the clicked tab where it is on the screen.
    scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
  });
  return tab;
}

function select(tab: HTMLElement, isSelected: boolean): void {
  tab.setAttribute('aria-selected', String(isSelected));
  tab.tabIndex = isSelected ? 0 : -1;
}

/** Chooses a language in every group that has it. */
function choose(title: string): void {
  for (const group of document.querySelectorAll('.tabs')) {
    const panels = [...group.querySelectorAll<HTMLElement>('[role=tabpanel]')];
    if (!panels.some(({ dataset }) => dataset.title === title)) continue;
    for (const panel of panels) panel.hidden = panel.dataset.title !== title;
    for (const tab of group.querySelectorAll<HTMLElement>('[role=tab]')) select(tab, tab.textContent === title);
  }
}

function step(list: HTMLElement, event: KeyboardEvent): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by === undefined) return;
  const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')];
  const at = tabs.findIndex((tab) => tab === document.activeElement);
  const next = tabs[(at + by + tabs.length) % tabs.length];
  next?.click();
  next?.focus();
  event.preventDefault();
}
