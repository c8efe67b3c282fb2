import type { JSX } from 'preact';

const PATHS = {
  full: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  back: 'M6 3.5 2.5 7 6 10.5M3 7h6.5a3.5 3.5 0 0 1 0 7H7',
  reset: 'M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2v3.2h3.2',
  threshold: 'M2 10.5h2M6 10.5h4M12 10.5h2M2.5 13 6 5l3.5 4 4-6.5',
  pair: 'M2.5 2v12M13.5 2v12M4 11c2.5 0 3-6 8-6',
  export: 'M8 2v8M5 7l3 3.2L11 7M2.5 11v2.5h11V11',
  pin: 'M5.5 2h5l-.6 4.2L12 8.5H4l2.1-2.3zM8 8.5V14',
  'log-x': 'M2 13.2h12M4.2 11 2 13.2l2.2 2.2M11.8 11l2.2 2.2-2.2 2.2',
  'log-y': 'M2.6 2v12M.6 4.2 2.6 2l2 2.2M.6 11.8l2 2.2 2-2.2',
  box: 'M2.5 2.5h8v8h-8zM13.5 13.5l-3-3',
  pan: 'M8 2v12M2 8h12M6.3 3.7 8 2l1.7 1.7M6.3 12.3 8 14l1.7-1.7M3.7 6.3 2 8l1.7 1.7M12.3 6.3 14 8l-1.7 1.7',
  open: 'M4 6l4 4 4-4',
  closed: 'M6 4l4 4-4 4',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  warn: 'M8 2.2 14.2 13.5H1.8zM8 6.2v3.4M8 11.3v.6',
  copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox={name === 'log-y' ? '0 0 21 16' : '0 0 16 16'} width={name === 'log-y' ? 18.4 : 14} height="14" aria-hidden="true">
      <path d={PATHS[name]} />
      {name === 'log-x' && <text x="8" y="8.4" text-anchor="middle">log</text>}
      {name === 'log-y' && <text x="13.5" y="11" text-anchor="middle">log</text>}
    </svg>
  );
}

export interface ButtonProps {
  readonly action: string;
  readonly label: string;
  readonly icon?: IconName;
  readonly text?: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly onPress: () => void;
}

/** A small button; `action` is its name for tests and style, the same in every language. */
export function Button({ action, label, icon, text, pressed, disabled, onPress }: ButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class={text ? 'tool text' : 'tool'}
      data-action={action}
      title={label}
      aria-label={label}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      disabled={disabled === true}
      onClick={onPress}
    >
      {icon && <Icon name={icon} />}
      {text}
    </button>
  );
}

export interface SegmentsProps<T extends string> {
  readonly name: string;
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string; readonly title?: string }[];
  readonly onPick: (value: T) => void;
}

export function Segments<T extends string>({ name, label, value, options, onPick }: SegmentsProps<T>): JSX.Element {
  return (
    <div class="segments" role="radiogroup" aria-label={label} data-control={name}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          data-value={option.value}
          title={option.title ?? option.text}
          onClick={() => onPick(option.value)}
        >
          {option.text}
        </button>
      ))}
    </div>
  );
}
