import { Link } from '@tanstack/react-router';
import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { scopeOf } from '../../kit/fresh-rows';
import { EVERY, usePolled } from '../../kit/live';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { LogList } from './log';
import classes from './log.module.css';

interface LogOfProps {
  /** The filter of the audit log. */
  about: { merchant: number } | { supplier: string };
  /** The query key of the merchant or supplier, so that a change refreshes the log as well. */
  queryKey: QueryKey;
  /** The cursor in the address. */
  cursor: string | undefined;
  /** The text of the link to the audit log with the same filter. */
  linked: string;
  /** The text for a log without entries. */
  empty: string;
}

/** The audit log of one merchant or supplier, newest first. */
export function LogOf({ about, queryKey, cursor, linked, empty }: LogOfProps): ReactNode {
  const filter = 'merchant' in about ? { merchant: String(about.merchant) } : about;
  const query = usePolled({
    queryKey: [...queryKey, 'log', cursor],
    queryFn: ({ signal }) => ask(() => client.GET('/api/log', { params: { query: { ...filter, cursor } }, signal })),
    every: cursor === undefined ? EVERY.figures : EVERY.rest,
  });
  const [name] = Object.values(about).map(String);
  return (
    <>
      <p className={classes.toLog}>
        <Link to="/log" search={filter}>
          {linked}
        </Link>
      </p>
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            <LogList rows={data} scope={scopeOf(query, [name, cursor])} isFirst={cursor === undefined} />
            {data.length === 0 && <Empty title={empty} />}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </>
  );
}
