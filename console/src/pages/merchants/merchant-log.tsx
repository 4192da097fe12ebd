import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { LogList } from '../log/log';
import { useMerchantId } from './merchant-view';
import classes from './statement.module.css';

/** What operators did about the merchant, newest first. */
export function MerchantLog(): ReactNode {
  const t = useT();
  const id = useMerchantId();
  const { cursor } = useSearch({ from: '/shell/merchants/$id/log' });
  const query = usePolled({
    queryKey: ['merchant', id, 'log', cursor],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/log', { params: { query: { merchant: id, cursor } }, signal })),
    every: cursor === undefined ? EVERY.figures : EVERY.rest,
  });
  return (
    <>
      <p className={classes.all}>
        <Link to="/log" search={{ merchant: String(id) }}>
          {t('merchant.logFiltered')}
        </Link>
      </p>
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            <LogList rows={data} scope={`${id} ${cursor ?? ''}`} isFirst={cursor === undefined} />
            {data.length === 0 && <Empty title={t('merchant.noLog')} />}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </>
  );
}
