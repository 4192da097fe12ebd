import { CloseButton } from '@mantine/core';
import { Fragment, useEffect, useRef, type ReactNode } from 'react';
import { useT } from '../i18n/words';
import { usedEscapes } from './escape';
import { useFocusReturn } from './focus-return';
import classes from './side-panel.module.css';

interface WithSidePanelProps {
  /** The key of the row whose details are shown. Without it there is no panel. */
  of: string | undefined;
  panel: (of: string) => ReactNode;
  children: ReactNode;
}

/**
 * A list with the details of one row beside it. On a narrow screen the panel covers the list. The panel of another row begins
 * anew: until that one answers, it must not offer decisions about the earlier one.
 */
export function WithSidePanel({ of, panel, children }: WithSidePanelProps): ReactNode {
  // The list has the same place with and without a panel, because another place would make it begin anew.
  return (
    <div className={of === undefined ? undefined : classes.beside}>
      <div>{children}</div>
      {of !== undefined && <Fragment key={of}>{panel(of)}</Fragment>}
    </div>
  );
}

interface SidePanelProps {
  /** The heading, and the label for screen readers. */
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/**
 * Its heading takes the focus when it opens, so that screen readers read it. The row's link gets the focus back. Escape closes
 * the panel.
 */
export function SidePanel({ title, onClose, children }: SidePanelProps): ReactNode {
  const t = useT();
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusReturn();
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || usedEscapes.has(event)) return;
      if (document.querySelector('[role="dialog"]') === null) onClose();
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [onClose]);
  return (
    <aside className={classes.panel} aria-label={title}>
      <div className={classes.head}>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <CloseButton aria-label={t('action.close')} onClick={onClose} />
      </div>
      {children}
    </aside>
  );
}
