import { CloseButton } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useT } from '../i18n/words';
import classes from './side-panel.module.css';

/** A list with the details of one row beside it. On a narrow screen the panel covers the list. */
export function WithSidePanel({ panel, children }: { panel: ReactNode; children: ReactNode }): ReactNode {
  if (!panel) return children;
  return (
    <div className={classes.beside}>
      <div>{children}</div>
      {panel}
    </div>
  );
}

interface SidePanelProps {
  title: ReactNode;
  /** The label for screen readers. */
  label: string;
  /** The key of the row. When it changes, the heading takes the focus and screen readers read it. */
  of: string;
  onClose: () => void;
  children: ReactNode;
}

/** Takes the focus when it opens. Escape closes it. */
export function SidePanel({ title, label, of, onClose, children }: SidePanelProps): ReactNode {
  const t = useT();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [of]);
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && document.querySelector('[role="dialog"]') === null) onClose();
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [onClose]);
  return (
    <aside className={classes.panel} aria-label={label}>
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
