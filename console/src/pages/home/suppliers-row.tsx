import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import { useSuppliers } from './figures-now';
import classes from './home.module.css';

/** All suppliers with their states, in a row. */
export function SuppliersRow(): ReactNode {
  const t = useT();
  return (
    <Section title={t('home.suppliers')} actions={<Link to="/suppliers">{t('home.all')}</Link>}>
      <Answered query={useSuppliers()} rows={1}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="muted">{t('home.noSuppliers')}</p>
          ) : (
            <ul className={classes.suppliers}>
              {data.map(({ code, state }) => (
                <li key={code}>
                  <Link to="/suppliers/$code" params={{ code }} search={{}} className={classes.supplier}>
                    {code} <Status of={state} />
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </Section>
  );
}
