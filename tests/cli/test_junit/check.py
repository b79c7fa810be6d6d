import xml.etree.ElementTree as ET
root = ET.parse("report.xml").getroot()
print(root.tag, root.get("tests"), root.get("failures"), root.get("errors"))
for suite in root:
    print(suite.tag, suite.get("name"), suite.get("tests"))
    for case in suite:
        float(case.get("time"))
        print(case.tag, case.get("name"), case.get("classname"),
              [(part.tag, part.get("message"), part.text) for part in case])
