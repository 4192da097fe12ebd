import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { foundQuery, hitsOf } from './hits';
import classes from './live-results.module.css';

/** The results of a search, below the search field while the operator types. */
export function LiveResults({ term, onLeave }: { term: string; onLeave: () => void }): ReactNode {
  const t = useT();
  const { data, isPlaceholderData } = useQuery({ ...foundQuery(term), placeholderData: keepPreviousData });
  if (data === undefined) return null;
  const hits = hitsOf(data, term, t);
  return (
    <div className={classes.results} data-stale={isPlaceholderData}>
      {hits.length === 0 ? (
        <p className={classes.none}>
          {t('search.none')}. <span className="muted">{t('search.exact')}</span>
        </p>
      ) : (
        <ul className={classes.hits} aria-label={t('search.titleFor', { term })}>
          {hits.map((hit) => (
            <li key={hit.id}>
              <Link {...hit.link} className={classes.hit} onClick={onLeave}>
                <span className={classes.head}>
                  <span className={classes.title}>{hit.title}</span>
                  <span className="muted">{hit.kind}</span>
                </span>
                <span className={classes.detail}>{hit.detail}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
