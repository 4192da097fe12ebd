import { Radio } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './choices.module.css';

export interface Choice {
  value: string;
  /** Shown below the value. */
  name: string;
  amount: string | null;
}

interface ChoicesProps {
  label: string;
  choices: readonly Choice[];
  value: string;
  onChange: (value: string) => void;
  /** A hint below the list, such as that there are more. */
  children?: ReactNode;
}

/** Things with a code, a name and an amount, of which one is chosen. */
export function Choices({ label, choices, value, onChange, children }: ChoicesProps): ReactNode {
  return (
    <Radio.Group value={value} onChange={onChange} aria-label={label}>
      <div className={classes.choices}>
        {choices.map((choice) => (
          <Radio
            key={choice.value}
            value={choice.value}
            classNames={{ body: classes.choice, labelWrapper: classes.wrapper }}
            label={
              <span className={classes.about}>
                <span>
                  <span className="mono">{choice.value}</span>
                  <br />
                  <span className="muted">{choice.name}</span>
                </span>
                {choice.amount !== null && <span className="number">{choice.amount}</span>}
              </span>
            }
          />
        ))}
      </div>
      {children && <p className={classes.more}>{children}</p>}
    </Radio.Group>
  );
}
