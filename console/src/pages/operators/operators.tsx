import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { AddButton } from '../../kit/add-button';
import { EVERY, usePolled } from '../../kit/live';
import { Moment } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Table, type Column } from '../../kit/table';
import type { Account, Invitation } from './account';
import { AccountState } from './account-state';
import { Invite } from './invite';
import { LinkShownOnce } from './link-shown-once';

/** All accounts of the console. */
export function Operators(): ReactNode {
  const t = useT();
  const [invitation, setInvitation] = useState<Invitation | null>(null);
  const query = usePolled({
    queryKey: ['operators'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/operators', { signal })),
    every: EVERY.rest,
  });
  return (
    <Page
      title={t('nav.operators')}
      actions={
        query.data && (
          <AddButton label={t('operators.invite')}>
            {(close) => <Invite onInvited={setInvitation} onClose={close} />}
          </AddButton>
        )
      }
    >
      <Answered query={query}>
        {({ data }) => (
          <Table
            label={t('nav.operators')}
            columns={columnsOf(t)}
            rows={data}
            keyOf={({ id }) => String(id)}
            linkOf={({ id }) => ({ to: '/operators/$id', params: { id: String(id) } })}
          />
        )}
      </Answered>
      {invitation !== null && <LinkShownOnce invitation={invitation} onClose={() => setInvitation(null)} />}
    </Page>
  );
}

const columnsOf = (t: Translate): Column<Account>[] => [
  { id: 'name', head: t('operators.name'), cell: ({ name }) => name, card: 'title' },
  {
    id: 'state',
    head: t('operators.state'),
    cell: (account) => <AccountState of={account} />,
    card: 'corner',
  },
  { id: 'email', head: t('login.email'), cell: ({ email }) => email, isCut: true },
  { id: 'role', head: t('operators.role'), cell: ({ role }) => t(`role.${role}`) },
  {
    id: 'factor',
    head: t('operators.factor'),
    cell: ({ second_factor }) => t(second_factor ? 'operators.factorOn' : 'operators.factorOff'),
  },
  {
    id: 'seen',
    head: t('operators.lastSignIn'),
    cell: ({ last_sign_in_at: at }) => (at ? <Moment at={at} form="short" /> : t('operators.never')),
  },
];
