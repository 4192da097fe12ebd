import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { createStore } from './store';

const STORED = 'console-shortcuts';
const SEQUENCE_MS = 1_200;

/** The pages that `g` and a letter open. */
export const PLACES = {
  h: '/',
  o: '/orders',
  r: '/review',
  m: '/merchants',
  p: '/products',
  s: '/suppliers',
  w: '/webhooks',
  d: '/payments',
} as const;
type Place = keyof typeof PLACES;

/** Whether single-key shortcuts work. Operators can switch them off (WCAG 2.1.4). */
export const hasShortcuts = createStore(window.localStorage.getItem(STORED) !== 'off');
export const isHelpShown = createStore(false);

export function setShortcuts(isOn: boolean): void {
  window.localStorage.setItem(STORED, isOn ? 'on' : 'off');
  hasShortcuts.set(isOn);
}

/** Handles single keys outside fields and dialogs. `/` and Ctrl K call `focusSearch`; Ctrl K works everywhere. */
export function useShortcuts(focusSearch: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let startedAt = -Infinity;
    const follow = (event: KeyboardEvent): void => {
      if (event.key === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        focusSearch();
        return;
      }
      if (!isShortcut(event)) return;
      // Compare when the keys were pressed, because a busy page handles them late.
      const isSecond = event.timeStamp - startedAt < SEQUENCE_MS;
      startedAt = event.key === 'g' && !isSecond ? event.timeStamp : -Infinity;
      if (isSecond && event.key in PLACES) void navigate({ to: PLACES[event.key as Place] });
      else if (event.key === '/') focusSearch();
      else if (event.key === '?') isHelpShown.set(true);
      else if (event.key === 'j' || event.key === 'k') moveRow(event.key === 'j' ? 1 : -1);
      else if (!press(event.key)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', follow);
    return () => document.removeEventListener('keydown', follow);
  }, [navigate, focusSearch]);
}

function isShortcut({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (!hasShortcuts.get() || ctrlKey || metaKey || altKey || defaultPrevented) return false;
  const isInField = target instanceof Element && target.closest('input, textarea, select, [role="dialog"]') !== null;
  return !isInField && document.querySelector('[role="dialog"]') === null;
}

/** Clicks the button that has this key as its shortcut. */
function press(key: string): boolean {
  const button = [...document.querySelectorAll<HTMLElement>('[data-shortcut]')].find(
    ({ dataset }) => dataset.shortcut === key,
  );
  button?.click();
  return button !== undefined;
}

function moveRow(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-row-link]')];
  const at = links.findIndex((link) => link === document.activeElement);
  const next = links[at === -1 ? (by === 1 ? 0 : links.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
