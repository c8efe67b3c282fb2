import { describe, expect, it } from 'vitest';
import { levelOf, piecesOf, plainOf } from './ansi';

describe('colours of terminals', () => {
  it('become classes of inert text', () => {
    expect(piecesOf('a \x1b[1;31mb\x1b[0m c')).toEqual([
      { text: 'a ', look: '' },
      { text: 'b', look: 'bold ansi1' },
      { text: ' c', look: '' },
    ]);
    expect(piecesOf('\x1b[32m<img src=x>')).toEqual([{ text: '<img src=x>', look: 'ansi2' }]);
    expect(piecesOf('')).toEqual([{ text: '', look: '' }]);
  });

  it('of 256 and of 16 million are the nearest ones of a terminal', () => {
    const looks = (code: string): string | undefined => piecesOf(`\x1b[${code}mx`)[0]?.look;
    expect(looks('38;5;196')).toBe('ansi1');
    expect(looks('38;5;21')).toBe('ansi4');
    expect(looks('38;5;244')).toBe('');
    expect(looks('38;2;0;200;180')).toBe('ansi6');
    expect(looks('48;2;200;0;0')).toBe('');
    expect(looks('48;5;1;33')).toBe('ansi3');
    expect(looks('97')).toBe('');
  });

  it('end where the terminal ends them, and other sequences are left out', () => {
    expect(piecesOf('\x1b[1;4mx\x1b[22my\x1b[24;39mz').map(({ look }) => look)).toEqual([
      'bold underline',
      'underline',
      '',
    ]);
    expect(plainOf('\x1b[2K\x1b[1Aab\x1b]8;;https://x\x07c\x1b]8;;\x07\x1b[?25l')).toBe('abc');
  });
});

describe('the level of a line', () => {
  it.each([
    ['2026-11-29 ERROR bad', 'error'],
    ['Traceback (most recent call last):', 'error'],
    ['[rank1]: RuntimeError: x', 'error'],
    ['torch.OutOfMemoryError: CUDA out of memory', 'error'],
    ['E1129 20:00:00 1 api.py:1] failed', 'error'],
    ['WARNING: x', 'warn'],
    ['/a/b.py:3: UserWarning: x', 'warn'],
    ['step 3 metrics/error 0.3 val_error=1', ''],
    ['INFO no errors, ErrorRate: 3', ''],
    ['loss: 0.1', ''],
  ])('%s', (line, level) => expect(levelOf(line)).toBe(level));
});
