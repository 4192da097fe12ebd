import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { Moment } from '../../kit/moment';
import { Answered, Empty } from '../../kit/states';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';
import type { Account } from './account';
import classes from './operators.module.css';

type Session = components['schemas']['OwnSessionDto'];

/** The sessions of an operator. An administrator can end one or all. */
export function OperatorSessions({ account }: { account: Account }): ReactNode {
  const t = useT();
  const [ending, setEnding] = useState<Session | 'all' | null>(null);
  const { id } = account;
  const query = useQuery({
    queryKey: ['operator', id, 'sessions'],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/operators/{id}/sessions', { params: { path: { id } }, signal })),
  });
  return (
    <Answered query={query} rows={2}>
      {({ data }) => (
        <>
          {data.length === 0 && <Empty title={t('operators.noSessions')} />}
          <ul className={classes.sessions}>
            {data.map((session) => (
              <li key={session.id} className={classes.session}>
                <div>
                  <p>{session.ip}</p>
                  <p className="muted">
                    {t('operators.lastSeen')} <Moment at={session.seen_at} />
                  </p>
                </div>
                {session.is_current ? (
                  <span className="muted">{t('operators.thisSession')}</span>
                ) : (
                  <Button size="xs" variant="default" onClick={() => setEnding(session)}>
                    {t('operators.endSession')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {data.length > 1 && (
            <div className={classes.buttons}>
              <Button size="xs" variant="default" onClick={() => setEnding('all')}>
                {t('operators.endAll')}
              </Button>
            </div>
          )}
          {ending !== null && <End account={account} ending={ending} onClose={() => setEnding(null)} />}
        </>
      )}
    </Answered>
  );
}

interface EndProps {
  account: Account;
  ending: Session | 'all';
  onClose: () => void;
}

function End({ account: { id, name }, ending, onClose }: EndProps): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const end = async (): Promise<void> => {
    await ask(() =>
      ending === 'all'
        ? client.DELETE('/api/operators/{id}/sessions', { params: { path: { id } } })
        : client.DELETE('/api/operators/{id}/sessions/{session}', {
            params: { path: { id, session: ending.id } },
          }),
    );
    toast(t('operators.sessionsEnded'));
    await queries.invalidateQueries({ queryKey: ['operator', id, 'sessions'] });
  };
  return (
    <Confirm
      title={t(ending === 'all' ? 'operators.endAll' : 'operators.endSession')}
      verb={t('operators.endVerb')}
      onConfirm={end}
      onClose={onClose}
    >
      <p>{t(ending === 'all' ? 'operators.endAllConsequence' : 'operators.endConsequence', { name })}</p>
    </Confirm>
  );
}
