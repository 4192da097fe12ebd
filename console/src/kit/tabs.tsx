import { Link, useRouterState, type LinkProps } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import classes from './tabs.module.css';

export interface Tab {
  name: string;
  link: Pick<LinkProps, 'to' | 'params'>;
  /** Whether the tab is active only at this exact address, not at addresses below it. */
  isExact?: boolean;
}

/** Tabs whose panels have their own addresses. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }): ReactNode {
  const ref = useRef<HTMLElement>(null);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  // A phone may not have room for all tabs, so scroll to the active one.
  useEffect(() => {
    const [row, shown] = [ref.current, ref.current?.querySelector<HTMLElement>('[data-active]')];
    if (row && shown) row.scrollLeft = shown.offsetLeft - (row.clientWidth - shown.clientWidth) / 2;
  }, [pathname]);
  return (
    <nav ref={ref} className={classes.tabs} aria-label={label}>
      {tabs.map(({ name, link, isExact = false }) => (
        <Link
          key={name}
          {...link}
          className={classes.tab}
          activeOptions={{ exact: isExact, includeSearch: false }}
          activeProps={{ 'data-active': true, 'aria-current': 'page' }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
