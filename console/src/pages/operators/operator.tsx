import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { Moment } from '../../kit/moment';
import { Facts, Page, Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import type { Account } from './account';
import { AccountActions } from './account-actions';
import { AccountState } from './account-state';
import { OperatorSessions } from './sessions';
import classes from './operators.module.css';

/** One account with its permissions, ways to sign in, and actions for administrators. */
export function Operator(): ReactNode {
  const t = useT();
  const id = Number(useParams({ from: '/shell/operators/$id' }).id);
  const query = usePolled({
    queryKey: ['operator', id],
    queryFn: ({ signal }) => ask(() => client.GET('/api/operators/{id}', { params: { path: { id } }, signal })),
    every: EVERY.rest,
  });
  const account = query.data;
  return (
    <Page
      title={account?.name ?? t('operators.one')}
      beside={account && <AccountState of={account} />}
      actions={account && <AccountActions account={account} />}
    >
      <Answered query={query} rows={4}>
        {(loaded) => (
          <div className={classes.page}>
            <Section title={t('operators.account')}>
              <AccountFacts account={loaded} />
            </Section>
            <Section title={t('operators.sessions')}>
              <OperatorSessions account={loaded} />
            </Section>
          </div>
        )}
      </Answered>
    </Page>
  );
}

function AccountFacts({ account }: { account: Account }): ReactNode {
  const t = useT();
  const { email, role, second_factor, last_sign_in_at: seen, locked_until, link_until, created_at } = account;
  const { company_sign_in, company_link_until: allowed } = account;
  return (
    <Facts
      facts={[
        [t('login.email'), email],
        [t('operators.role'), t(`role.${role}`)],
        [t('operators.factor'), t(second_factor ? 'operators.factorOn' : 'operators.factorOff')],
        [t('operators.company'), t(company_sign_in ? 'operators.companyOn' : 'operators.companyOff')],
        allowed ? [t('operators.companyUntil'), <Moment key="allowed" at={allowed} />] : null,
        [t('operators.lastSignIn'), seen ? <Moment key="seen" at={seen} /> : t('operators.never')],
        locked_until ? [t('operators.lockedUntil'), <Moment key="locked" at={locked_until} />] : null,
        link_until ? [t('operators.linkUntil'), <Moment key="link" at={link_until} />] : null,
        [t('operators.added'), <Moment key="added" at={created_at} />],
        [
          t('nav.log'),
          <Link key="log" to="/log" search={{ operator: email }}>
            {t('operators.log')}
          </Link>,
        ],
      ]}
    />
  );
}
