import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX, Ref, TargetedEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Setting } from './page';
import { Icon, type IconName } from './icons';
import { rove } from './keys';

export interface ButtonProps {
  readonly action: string;
  readonly label: string;
  /** The name of one of the kit's, or a drawing of the plugin's own. */
  readonly icon?: IconName | JSX.Element;
  readonly text?: string;
  readonly pressed?: boolean;
  /** Whether what the button opens is open. */
  readonly expanded?: boolean;
  /** What the button opens; a menu by default. */
  readonly opens?: 'menu' | 'dialog';
  readonly disabled?: boolean;
  readonly element?: Ref<HTMLButtonElement>;
  readonly onPress: () => void;
}

/** A small button; `action` is its name for tests and style, the same in every language. */
export function Button({
  action,
  label,
  icon,
  text,
  pressed,
  expanded,
  opens = 'menu',
  disabled,
  element = null,
  onPress,
}: ButtonProps): JSX.Element {
  return (
    <button
      ref={element}
      type="button"
      class={text ? 'tool text' : 'tool'}
      data-action={action}
      title={label}
      {...(text ? {} : { 'aria-label': label })}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      {...(expanded === undefined ? {} : { 'aria-expanded': expanded, 'aria-haspopup': opens })}
      disabled={disabled === true}
      onClick={onPress}
    >
      {typeof icon === 'string' ? <Icon name={icon} /> : icon}
      {text}
    </button>
  );
}

export interface DownloadProps {
  readonly label: string;
  readonly href: string;
}

/** A button that saves what an address answers, under the name that the server gives it. */
export function Download({ label, href }: DownloadProps): JSX.Element {
  return (
    <a class="tool" data-action="download" href={href} download="" title={label} aria-label={label}>
      <Icon name="export" />
    </a>
  );
}

export interface ToggleProps {
  readonly action: string;
  readonly label: string;
  readonly text?: string;
  readonly icon?: IconName | JSX.Element;
  readonly setting: Pick<Setting<boolean>, 'value' | 'set'>;
  readonly disabled?: boolean;
}

/** A button that stays pressed. */
export function Toggle({ setting, ...button }: ToggleProps): JSX.Element {
  return <Button {...button} pressed={setting.value} onPress={() => setting.set(!setting.value)} />;
}

/** Buttons that belong together, without gaps. */
export function Cluster({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <span class="cluster">{children}</span>;
}

export interface SegmentsProps<T extends string> {
  readonly name: string;
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly text: string; readonly title?: string }[];
  readonly onPick: (value: T) => void;
}

/** One of a few choices, all in sight: the Tab key finds the chosen one, arrow keys choose. */
export function Segments<T extends string>({ name, label, value, options, onPick }: SegmentsProps<T>): JSX.Element {
  const isKnown = options.some((option) => option.value === value);
  const pickNext = (event: TargetedEvent<HTMLElement, KeyboardEvent>): void => {
    const next = rove(event, [...event.currentTarget.querySelectorAll('button')])?.dataset['value'];
    const option = options.find((one) => one.value === next);
    if (option) onPick(option.value);
  };
  return (
    <div class="segments" role="radiogroup" aria-label={label} data-control={name} onKeyDown={pickNext}>
      {options.map((option, i) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          tabIndex={option.value === value || (!isKnown && i === 0) ? 0 : -1}
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

export interface RangeProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly setting: Setting<number>;
  readonly low: number;
  readonly high: number;
  readonly step: number;
  /** Step of the arrows next to the number; `step` by default. */
  readonly numberStep?: number;
  /** ms without a move before the setting changes; 0 by default. */
  readonly settle?: number;
  /** Of the number next to the slider; 3 by default. */
  readonly digits?: number;
  readonly id?: string;
}

/** A slider with a number input. */
export function Range({
  name,
  label,
  hint,
  setting,
  low,
  high,
  step,
  numberStep = step,
  settle = 0,
  digits = 3,
  id,
}: RangeProps): JSX.Element {
  const draft = useDraft(setting, settle);
  const take = (value: number): void => draft.set(Math.max(low, Math.min(high, value)));
  return (
    <label class="range" title={hint ?? label}>
      <span>{label}</span>
      <input
        {...(id ? { id } : {})}
        type="range"
        min={low}
        max={high}
        step={step}
        data-control={name}
        aria-label={label}
        value={draft.value}
        onInput={(e) => take(Number(e.currentTarget.value))}
      />
      <NumberBox
        name={`${name}-number`}
        label={label}
        value={Number(draft.value.toFixed(digits))}
        low={low}
        high={high}
        step={numberStep}
        onPick={take}
      />
    </label>
  );
}

export interface NumberBoxProps {
  readonly name: string;
  readonly label: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** 1 by default: whole numbers only. */
  readonly step?: number;
  /** Each key counts, not only what is there when the box is left. */
  readonly live?: boolean;
  readonly onPick: (value: number) => void;
}

/** A number input with limits; invalid input is ignored and removed on blur. */
export function NumberBox({
  name,
  label,
  value,
  low,
  high,
  step = 1,
  live = false,
  onPick,
}: NumberBoxProps): JSX.Element {
  const take = ({ currentTarget: { value: text } }: TargetedEvent<HTMLInputElement>): void => {
    const typed = Number(text);
    if (text !== '' && (Number.isInteger(step) ? Number.isInteger(typed) : Number.isFinite(typed)))
      onPick(Math.max(low, Math.min(high, typed)));
  };
  return (
    <input
      type="number"
      min={low}
      max={high}
      step={step}
      data-control={name}
      aria-label={label}
      value={value}
      {...(live ? { onInput: take } : { onChange: take })}
      onBlur={({ currentTarget }) => (currentTarget.value = String(value))}
    />
  );
}

export interface Draft<T> {
  readonly value: T;
  set(value: T): void;
}

/** A setting that updates the control immediately and the board `wait` ms later. */
export function useDraft<T>(setting: Setting<T>, wait: number): Draft<T> {
  const draft = useSignal(setting.value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    clearTimeout(timer.current);
    draft.value = setting.value;
  }, [setting.value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    value: draft.value,
    set(value) {
      draft.value = value;
      clearTimeout(timer.current);
      if (wait > 0) timer.current = setTimeout(() => setting.set(value), wait);
      else setting.set(value);
    },
  };
}
