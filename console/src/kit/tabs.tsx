import { Link, useRouterState, type LinkProps } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import classes from './tabs.module.css';

export interface Tab {
  name: string;
  link: Pick<LinkProps, 'to' | 'params'>;
  /** Whether the tab is for this very address, and not for those below it. */
  isExact?: boolean;
}

/** Parts of a thing, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }): ReactNode {
  const ref = useRef<HTMLElement>(null);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  // On a phone there may be more of them than fit: the one that is shown is in sight.
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
