// The turns of a question exactly as they are frozen. Texts stand in questions.json and never in a variable, so that
// nothing in them is taken for a file name; braces are written so that the template engine gives them back unchanged.
'use strict';
const fs = require('fs');
const path = require('path');

const questions = JSON.parse(fs.readFileSync(path.join(__dirname, 'questions.json'), 'utf8'));
const verbatim = (text) => text.replace(/[{}]/g, (brace) => `{{'${brace}'}}`);

module.exports = ({ vars }) => {
  const asked = questions[vars.question];
  if (asked === undefined) {
    throw new Error(`there is no question ${vars.question}`);
  }
  return [
    { role: 'system', content: verbatim(asked.system) },
    { role: 'user', content: verbatim(asked.prompt) },
  ];
};
