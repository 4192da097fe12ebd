import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Page } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import { foundQuery, hitsOf } from './hits';
import classes from './search.module.css';

/** What a term matches. A single match opens at once. */
export function Search(): ReactNode {
  const t = useT();
  const { q } = useSearch({ from: '/shell/search' });
  return (
    <Page title={q === undefined ? t('search.title') : t('search.titleFor', { term: q })}>
      {q === undefined ? <Empty title={t('search.hint')}>{t('search.kinds')}</Empty> : <Found term={q} />}
    </Page>
  );
}

function Found({ term }: { term: string }): ReactNode {
  const t = useT();
  return (
    <Answered query={useQuery(foundQuery(term))} rows={4}>
      {(found) => {
        const hits = hitsOf(found, term.trim(), t);
        const [only, ...others] = hits;
        if (only === undefined) return <Empty title={t('search.none')}>{t('search.exact')}</Empty>;
        if (others.length === 0) return <Navigate {...only.link} replace />;
        return (
          <ul className={classes.hits}>
            {hits.map((hit) => (
              <li key={hit.id}>
                <Link {...hit.link} className={classes.hit} data-row-link="">
                  <span className={classes.kind}>{hit.kind}</span>
                  <span className={classes.title}>{hit.title}</span>
                  <span className="muted">{hit.detail}</span>
                </Link>
              </li>
            ))}
          </ul>
        );
      }}
    </Answered>
  );
}
