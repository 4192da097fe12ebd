import { useState } from 'react';

/**
 * For a field with a day of a report. While its text is no day, the report keeps the last day, and must not run.
 * @returns whether the text is no day, and the handler of the field.
 */
export function useReportDay(onDay: (day: string) => void): [isWrong: boolean, change: (day: string | null) => void] {
  const [isWrong, setWrong] = useState(false);
  const change = (day: string | null): void => {
    setWrong(day === null);
    if (day !== null) onDay(day);
  };
  return [isWrong, change];
}
