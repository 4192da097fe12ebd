import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { EVERY, usePolled } from '../../kit/live';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { LogList } from '../log/log';
import classes from './supplier.module.css';

/** What operators did about a supplier and its offers, newest first. */
export function SupplierLog({ code }: { code: string }): ReactNode {
  const t = useT();
  const { cursor } = useSearch({ from: '/shell/suppliers/$code' });
  const query = usePolled({
    queryKey: ['suppliers', code, 'log', cursor],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/log', { params: { query: { supplier: code, cursor } }, signal })),
    every: cursor === undefined ? EVERY.figures : EVERY.rest,
  });
  return (
    <>
      <p className={classes.toLog}>
        <Link to="/log" search={{ supplier: code }}>
          {t('suppliers.logFiltered')}
        </Link>
      </p>
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            <LogList rows={data} scope={`${code} ${cursor ?? ''}`} isFirst={cursor === undefined} />
            {data.length === 0 && <Empty title={t('suppliers.noLog')} />}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </>
  );
}
