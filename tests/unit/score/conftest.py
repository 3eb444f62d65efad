import sys
from pathlib import Path

# The planted banks and respondents are shared with the tests of the estimates.
sys.path.append(str(Path(__file__).parent.parent / "estimate"))
