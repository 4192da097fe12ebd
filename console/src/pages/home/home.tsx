import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { LiveButton } from '../../kit/live-controls';
import { Page } from '../../kit/page';
import { Figures } from './figures';
import { LatestFailures } from './latest-failures';
import { NeedsYou } from './needs';
import { SuppliersRow } from './suppliers-row';
import classes from './home.module.css';

/** Open tasks, and current numbers of the service. Each number links to its list. */
export function Home(): ReactNode {
  const t = useT();
  return (
    <Page title={t('nav.home')} actions={<LiveButton />}>
      <Figures />
      <div className={classes.columns}>
        <div>
          <SuppliersRow />
          <LatestFailures />
        </div>
        <NeedsYou />
      </div>
    </Page>
  );
}
