"""What games tell learners of their structure: parts that can be exchanged, or that fall apart."""
