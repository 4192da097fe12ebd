import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Page, Section } from '../../kit/page';
import { useSession } from '../../session';
import { Display } from './display';
import { Password } from './password';
import { SecondFactor } from './second-factor';
import { Sessions } from './sessions';
import classes from './me.module.css';

/** The operator's own settings: display, password, second factor and sessions. */
export function Me(): ReactNode {
  const t = useT();
  const hasPassword = useSession()?.has_password ?? false;
  return (
    <Page title={t('nav.me')}>
      <div className={classes.page}>
        <Section title={t('me.display')}>
          <Display />
        </Section>
        {hasPassword && (
          <Section title={t('me.password')}>
            <Password />
          </Section>
        )}
        <Section title={t('me.secondFactor')}>
          <SecondFactor />
        </Section>
        <Section title={t('me.sessions')}>
          <Sessions />
        </Section>
      </div>
    </Page>
  );
}
