// Whether a first reply is valid by strict_json_v1, and if not, what became of it. It says nothing of the position.
'use strict';

const SPACE = '[ \\t\\n\\r]*';
const STRING = '"(?:[^"\\\\\\u0000-\\u001f]|\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4}))*"';
const OBJECT = new RegExp(
  `^${SPACE}\\{${SPACE}(${STRING})${SPACE}:${SPACE}(${STRING})${SPACE},${SPACE}(${STRING})${SPACE}:${SPACE}(${STRING})${SPACE}\\}${SPACE}$`,
);
const CUT_OFF = ['length', 'max_tokens', 'model_length', 'max_output_tokens'];
const BLOCKED = [
  'content_filter',
  'content-filter',
  'safety',
  'refusal',
  'recitation',
  'blocklist',
  'prohibited_content',
];

// The letter answered, null where the reply is not exactly the object asked for.
function answerOf(itemId, text) {
  const found = typeof text === 'string' ? OBJECT.exec(text) : null;
  if (found === null) {
    return null;
  }
  const [firstKey, first, secondKey, second] = found.slice(1).map((each) => JSON.parse(each));
  const told = new Map([
    [firstKey, first],
    [secondKey, second],
  ]);
  if (!told.has('item_id') || !told.has('answer') || told.get('item_id') !== itemId) {
    return null;
  }
  const answer = told.get('answer');
  return answer === 'A' || answer === 'B' ? answer : null;
}

function outcomeOf(itemId, text, finishReason, refused) {
  const finish = String(finishReason ?? '').toLowerCase();
  if (refused || BLOCKED.includes(finish)) {
    return 'blocked';
  }
  if (CUT_OFF.includes(finish)) {
    return 'cut_off';
  }
  return answerOf(itemId, text) === null ? 'malformed' : 'valid_at_first';
}

module.exports = (output, context) => {
  const response = context.providerResponse ?? {};
  const itemId = String(context.vars.question).split('.')[0];
  const outcome = outcomeOf(itemId, output, response.finishReason, response.isRefusal === true);
  const valid = outcome === 'valid_at_first';
  return { pass: valid, score: valid ? 1 : 0, reason: outcome, namedScores: { [outcome]: 1 } };
};
module.exports.answerOf = answerOf;
module.exports.outcomeOf = outcomeOf;
