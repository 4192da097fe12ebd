import { useEffect, useState } from 'react';

/** A dialog or panel, with the element that had the focus before it, and the dialog or panel that it opened from. */
interface Opened {
  before: Element | null;
  from: Opened | undefined;
}

/** Those that are open, the latest last. */
const opened: Opened[] = [];

/** Gives the focus back to the element that had it before, when the component goes, unless the focus is elsewhere already. */
export function useFocusReturn(): void {
  const [mine] = useState<Opened>(() => ({ before: document.activeElement, from: opened.at(-1) }));
  useEffect(() => {
    opened.push(mine);
    return () => {
      opened.splice(opened.indexOf(mine), 1);
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost) placeOf(mine)?.focus({ preventScroll: true });
    };
  }, [mine]);
}

/**
 * The element to return to. If it went with the dialog from which this one opened, the element before that dialog. If
 * nothing is left, the content of the page.
 */
function placeOf({ before, from }: Opened): HTMLElement | null {
  if (before instanceof HTMLElement && before.isConnected && before !== document.body) return before;
  if (from !== undefined && !opened.includes(from)) return placeOf(from);
  return opened.length === 0 ? document.getElementById('content') : null;
}
