import { Problem } from '@insight-host/kit';
import { effect } from '@preact/signals';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { reasonsIn, shownLocale } from '../i18n/reasons';
import { RequestError } from './errors';

const answered = (body: unknown, status = 404): RequestError =>
  RequestError.of(new Response(null, { status, statusText: 'Not Found' }), body);

afterEach(() => void (shownLocale.value = ''));

describe('an error of the host', () => {
  it('is shown in the language of the user, with what it is about', () => {
    const body = { error: "unknown run 'a'", code: 'unknown_run', details: { run: 'a' } };
    shownLocale.value = 'zh-CN';
    expect(answered(body)).toMatchObject({
      message: '没有名为 a 的运行',
      code: 'unknown_run',
      details: { run: 'a' },
      status: 404,
    });
    shownLocale.value = 'en';
    expect(answered(body).message).toBe('The run a does not exist');
  });

  it('keeps the text of the server as the detail of a general code', async () => {
    shownLocale.value = 'zh-CN';
    await reasonsIn('zh-CN');
    expect(answered({ error: 'no step 7', code: 'not_found' }).message).toBe('不存在：no step 7');
  });

  it('has the text of the server where the page has none for the code, or a value is missing', () => {
    shownLocale.value = 'zh-CN';
    for (const code of ['from_another_plugin', 'unknown_run', 'constructor', undefined, 7]) {
      expect(answered({ error: 'the text', code, details: null }).message).toBe('the text');
    }
  });

  it('says in the language of the user what a record lacks, and why', async () => {
    const cause = { error: "the checksum of the record's data is wrong", code: 'record_checksum' };
    const details = { run: 'a', tag: 'loss', step: 3, index: 12345, cause };
    const body = { error: 'all of it', code: 'undecodable_record', details };
    shownLocale.value = 'zh-CN';
    await reasonsIn('zh-CN');
    expect(answered(body, 422).message).toBe('a 的 loss，步骤 3（第 12,345 条记录）：记录数据的校验和错误');
    shownLocale.value = 'en';
    expect(answered(body, 422).message, 'that of the server is English').toBe('all of it');
  });

  it('of a plugin is said in its words, also as the cause of another', async () => {
    const messages = { 'zh-CN': { 'reason.mine_odd': '奇数：{number}' }, en: { 'reason.mine_odd': 'Odd: {number}' } };
    const cause = { error: 'it is odd', code: 'mine_odd', details: { number: 7 } };
    const details = { run: 'a', tag: 'loss', step: 3, index: 0, cause };
    shownLocale.value = 'zh-CN';
    await reasonsIn('zh-CN');
    expect(answered({ ...cause }).saidBy(messages).message).toBe('奇数：7');
    expect(answered({ error: '', code: 'undecodable_record', details }).saidBy(messages).message).toContain(
      '：奇数：7',
    );
    shownLocale.value = 'en';
    expect(answered({ ...cause }).saidBy(messages)).toMatchObject({ message: 'Odd: 7', code: 'mine_odd', status: 404 });
    const whole = { error: 'it: loss of a: it is odd', code: 'undecodable_record', details };
    expect(answered(whole).saidBy(messages).message, 'the English of the plugin').toBe('it: loss of a: Odd: 7');
  });

  it('of a plugin for the last release has its words, with a warning that names the new key', () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const messages = { 'zh-CN': { 'error.mine_old': '旧：{number}' } };
    shownLocale.value = 'zh-CN';
    const body = { error: 'old', code: 'mine_old', details: { number: 7 } };
    for (let asked = 0; asked < 2; asked++) expect(answered(body).saidBy(messages).message).toBe('旧：7');
    expect(warned).toHaveBeenCalledOnce();
    expect(warned.mock.calls[0]?.[0]).toContain('"reason.mine_old"');
    warned.mockRestore();
  });

  it('follows the language of the page', () => {
    const error = answered({ error: "unknown run 'a'", code: 'unknown_run', details: { run: 'a' } });
    const problem = new Problem();
    const shown: (string | null)[] = [];
    shownLocale.value = 'zh-CN';
    const end = effect(() => void shown.push(problem.value));
    problem.set(error);
    shownLocale.value = 'en';
    problem.clear();
    expect(shown).toEqual([null, '没有名为 a 的运行', 'The run a does not exist', null]);
    end();
  });

  it('has the status where a proxy answered', () => {
    expect(answered(null, 502)).toMatchObject({ message: '502 Not Found', code: '', status: 502 });
  });
});
