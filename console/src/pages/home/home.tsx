import type { ReactNode } from 'react';
import { formatDay, formatTime, formatWeekday, zoneName } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { LiveButton } from '../../kit/live-controls';
import { Page } from '../../kit/page';
import { Business } from './business';
import { Figures } from './figures';
import { useBusiness } from './figures-now';
import { LatestFailures } from './latest-failures';
import { NeedsYou } from './needs';
import { BestProducts, SalesSoFar } from './sales';
import { SupplierMoney } from './supplier-money';
import classes from './home.module.css';

/** The business of today, open tasks, and current numbers of the service. Each number links to its list. */
export function Home(): ReactNode {
  const t = useT();
  return (
    <Page title={t('nav.home')} beside={<Until />} actions={<LiveButton />}>
      <Business />
      <div className={classes.columns}>
        <div>
          <SalesSoFar />
          <BestProducts />
        </div>
        <div className={classes.side}>
          <NeedsYou />
          <SupplierMoney />
        </div>
      </div>
      <Figures />
      <LatestFailures />
    </Page>
  );
}

/** The day of the figures, and the time until which they count. */
function Until(): ReactNode {
  const t = useT();
  const { language, zone } = useWords();
  const { data } = useBusiness();
  if (!data) return null;
  const { until } = data.today;
  const day = `${formatWeekday(until, language, zone, 'long')} ${formatDay(until, language, zone)}`;
  const time = `${formatTime(until, language, zone).slice(0, 5)} ${zoneName(zone)}`;
  return <span className="muted">{t('home.until', { day, time })}</span>;
}
