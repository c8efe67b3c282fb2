import type { JSX } from 'preact';
import { Segments } from './controls';
import type { Setting, Page } from './page';

export interface SelectProps<T extends string | number> {
  /** For tests and style, the same in every language. */
  readonly name: string;
  readonly label: string;
  /** `label` by default. */
  readonly title?: string;
  /** Its class. */
  readonly look?: string;
  readonly value: T;
  readonly options: readonly {
    readonly value: T;
    readonly text: string;
    readonly title?: string;
    readonly disabled?: boolean;
  }[];
  readonly disabled?: boolean;
  readonly onPick: (value: T) => void;
}

/** One of many choices, in a list that opens. */
export function Select<T extends string | number>({
  name,
  label,
  title = label,
  look,
  value,
  options,
  disabled = false,
  onPick,
}: SelectProps<T>): JSX.Element {
  return (
    <select
      {...(look ? { class: look } : {})}
      data-control={name}
      aria-label={label}
      title={title}
      value={value}
      disabled={disabled}
      onChange={({ currentTarget }) => {
        const picked = options.find((option) => String(option.value) === currentTarget.value);
        if (picked) onPick(picked.value);
      }}
    >
      {options.map(({ text, ...option }) => (
        <option key={option.value} {...option} selected={option.value === value}>
          {text}
        </option>
      ))}
    </select>
  );
}

export interface ChoiceProps<T extends string> {
  /** Gives texts of the catalogue. */
  readonly say: (key: string) => string;
  readonly name: string;
  readonly label: string;
  /** The catalogue has `${words}.${value}`, and perhaps `${words}.${value}.hint`; `name` by default. */
  readonly words?: string;
  readonly values: readonly T[];
  readonly setting: Pick<Setting<T>, 'value' | 'set'>;
  /** Whether each choice is a place to come back to. */
  readonly how?: 'push' | 'replace';
}

/** A setting that is one of a few words, all in sight. */
export function Choice<T extends string>({
  say,
  name,
  label,
  words = name,
  values,
  setting,
  how = 'replace',
}: ChoiceProps<T>): JSX.Element {
  const options = values.map((value) => {
    const key = `${words}.${value}`;
    const [text, hint] = [say(key), say(`${key}.hint`)];
    return { value, text, title: hint === `${key}.hint` ? text : hint };
  });
  return (
    <Segments
      name={name}
      label={label}
      value={setting.value}
      options={options}
      onPick={(value) => setting.set(value, how)}
    />
  );
}

/** The toolbar's choice of what a restart hides; show it where there are restarts. */
export function AttemptsChoice({
  page,
  setting,
}: {
  readonly page: Page;
  readonly setting: Setting<'last' | 'all'>;
}): JSX.Element {
  return (
    <Choice say={page.t} name="attempts" label={page.t('attempts.label')} values={['last', 'all']} setting={setting} />
  );
}
