import { Link, useRouterState, type LinkProps } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import classes from './tabs.module.css';

export interface Tab {
  name: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
  /** Whether the tab is active only at this exact address, not at addresses below it. */
  isExact?: boolean;
  /** Whether the tab is active, if its search parameters decide that. */
  isActive?: boolean;
}

const ACTIVE = { 'data-active': true, 'aria-current': 'page' } as const;

/** Tabs whose panels have their own addresses. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }): ReactNode {
  const ref = useRef<HTMLElement>(null);
  const address = useRouterState({ select: ({ location }) => location.href });
  // A phone may not have room for all tabs, so scroll to the active one.
  useEffect(() => {
    const [row, shown] = [ref.current, ref.current?.querySelector<HTMLElement>('[data-active]')];
    if (row && shown) row.scrollLeft = shown.offsetLeft - (row.clientWidth - shown.clientWidth) / 2;
  }, [address]);
  return (
    <nav ref={ref} className={classes.tabs} aria-label={label}>
      {tabs.map(({ name, link, isExact = false, isActive }) => (
        <Link
          key={name}
          {...link}
          {...(isActive === true && ACTIVE)}
          className={classes.tab}
          activeOptions={{ exact: isExact, includeSearch: false }}
          activeProps={isActive === undefined ? ACTIVE : {}}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
