import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Moment } from '../../kit/moment';
import { Answered } from '../../kit/states';
import { toast, toastFailure } from '../../kit/toasts';
import { browserName } from './browser-name';
import classes from './me.module.css';

/** The operator's own sessions. All but the current one can be ended. */
export function Sessions(): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ['me', 'sessions'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/me/sessions', { signal })),
  });
  const end = useMutation({
    mutationFn: (id: number) => ask(() => client.DELETE('/api/me/sessions/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      toast(t('me.sessionEnded'));
      await queries.invalidateQueries({ queryKey: ['me', 'sessions'] });
    },
    onError: (error) => toastFailure(error),
  });
  return (
    <Answered query={query} rows={2}>
      {({ data }) => (
        <ul className={classes.sessions}>
          {data.map(({ id, is_current, ip, user_agent, seen_at }) => (
            <li key={id} className={classes.session}>
              <div>
                <p className={classes.sessionName}>
                  {user_agent === null ? t('me.unknownBrowser') : browserName(user_agent)}
                </p>
                <p className="muted">
                  {ip} · {t('me.lastSeen')} <Moment at={seen_at} />
                </p>
              </div>
              {is_current ? (
                <span className="muted">{t('me.thisSession')}</span>
              ) : (
                <Button size="xs" variant="default" onClick={() => end.mutate(id)}>
                  {t('me.endSession')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Answered>
  );
}
